// Calls functions of the library with arguments that no program means, and tells how each call ended.
import { mkdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import * as exported from '../../../dist/index.js'

const library = { ...exported }
const [folder, ...names] = process.argv.slice(2)
const projectDir = join(folder, `project-${names[0]}`)
mkdirSync(projectDir, { recursive: true })
process.chdir(projectDir)

const hugeText = 'x'.repeat(2 ** 29 - 24)
const cyclic = { name: 'ring' }
cyclic.self = cyclic
let deep = []
for (let level = 0; level < 100_000; level++) deep = [deep]

/** Each is a length, a depth or a value that nothing may trust. */
const HOSTILE = {
  hugeList: Array(2 ** 32 - 1),
  hugeText,
  manyLongTexts: Array(1 << 14).fill('y'.repeat(1 << 16)),
  hugeFloats: new Float32Array(2 ** 28),
  hugeBytes: new Uint8Array(2 ** 31),
  deep,
  cyclic,
  throwing: {
    get projectDir() {
      throw new Error('no')
    },
    get name() {
      throw new Error('no')
    },
  },
  proxy: new Proxy([], { get: () => hugeText }),
  infinity: Number.POSITIVE_INFINITY,
  negative: -1,
  unsafe: 2 ** 53,
  bigint: 2n ** 64n,
  symbol: Symbol('s'),
  half: '\ud800',
  nothing: null,
}

/** An argument that most functions take, so that the hostile part of it is reached. */
const PLAIN = {
  projectDir,
  type: 'lesson',
  body: 'text',
  pattern: 'text',
  category: 'convention',
  key: 'k',
  place: 'p',
  name: 'n',
}

const FIELDS = [
  'activity',
  'body',
  'byteRange',
  'code',
  'codeHash',
  'confidence',
  'context',
  'createdBy',
  'embedder',
  'entries',
  'event',
  'expiresAt',
  'filePath',
  'handles',
  'id',
  'ids',
  'key',
  'lesson',
  'limit',
  'loop',
  'loopId',
  'name',
  'offset',
  'paths',
  'pattern',
  'place',
  'project',
  'projectDir',
  'query',
  'record',
  'results',
  'since',
  'slices',
  'source',
  'sourceFile',
  'supersedes',
  'tags',
  'text',
  'texts',
  'title',
  'tool',
  'toolVersion',
  'type',
  'types',
  'until',
  'vector',
  'worker',
]
/** Those that memory is taken for. */
const LARGE = ['hugeList', 'hugeText', 'hugeFloats', 'deep']
/** Fields that are lists of texts somewhere. */
const LISTS = ['handles', 'paths', 'results', 'slices', 'tags', 'types']

function* argumentsOf() {
  const fillers = ['text', { projectDir }, undefined]
  for (const [what, value] of Object.entries(HOSTILE)) {
    yield [what, [value]]
    for (const filler of fillers) yield [`${what}, second`, [filler, value]]
    yield [`${what}, third`, ['text', 'text', value]]
    yield [`${what} in a list`, [[value]]]
  }
  for (const what of LARGE) {
    for (const field of FIELDS) {
      const value = { ...PLAIN, [field]: HOSTILE[what] }
      yield [`${what} as ${field}`, [value]]
      yield [`${what} as ${field}, second`, ['text', value]]
      yield [`${what} as ${field} in a list`, [[value]]]
    }
  }
}

function* longLists() {
  for (const field of LISTS) {
    const value = { ...PLAIN, [field]: HOSTILE.manyLongTexts }
    yield [`manyLongTexts as ${field}`, [value]]
    yield [`manyLongTexts as ${field}, second`, ['text', value]]
  }
}

const seen = new Set()
for (const name of names) {
  for (const [what, args] of [...argumentsOf(), ...longLists()]) {
    // Told before the call: the last line names the one that ended the process.
    let outcome = 'answered'
    writeSync(1, `${JSON.stringify({ name, what })}\n`)
    try {
      await library[name](...args)
    } catch (error) {
      outcome = error?.code ?? error?.name ?? String(error)
    }
    if (seen.has(`${name} ${outcome}`)) continue
    seen.add(`${name} ${outcome}`)
    writeSync(1, `${JSON.stringify({ name, what, outcome })}\n`)
  }
}
process.exit(0)
