// The border between JavaScript and the engine: nothing is compiled at run time, every input is declared once, and every error
// says what to do.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import test from 'node:test'
import { promisify } from 'node:util'
import * as library from '../dist/index.js'
import { serve } from '../dist/server/index.js'
import { freshCommand } from './support/command.mjs'
import { argumentsOf, fieldsOf } from './support/declarations.mjs'
import { useHome } from './support/home.mjs'
import { connectStdio } from './support/mcp.mjs'
import { freshMemory, rejection, treeOf } from './support/memory.mjs'
import { root } from './support/project.mjs'
import { callerOf } from './support/served.mjs'

const run = promisify(execFile)
const engine = createRequire(import.meta.url)('../index.js')
const spy = join(root, '__test__/support/children/compilation-spy.mjs')

const declared = JSON.parse(readFileSync(join(root, 'lib/shared/declared.json'), 'utf8'))
/** A value of each fact that a record may have. */
const facts = Object.fromEntries(Object.keys(declared.Facts.properties).map((name) => [name, `a ${name}`]))

test('nothing that the engine does compiles JavaScript', async (t) => {
  const memory = freshMemory(t)
  const env = { ...process.env, FORGE_HOME: memory.home, FORGE_OPENBRAIN: 'off' }
  const { stdout } = await run(process.execPath, ['--disallow-code-generation-from-strings', spy, memory.project], {
    env,
  })
  const { compiled, isSeen } = JSON.parse(stdout)
  assert.ok(isSeen, 'the spy sees what is compiled without a file')
  assert.deepEqual(compiled, [])
})

/** What other fields may be in. */
const OPEN = { CachedSearchQuery: 'all of it is the key', ServerPorts: 'it names the missing ones first' }

test('the fields that a function reads are those that its declaration shows', async (t) => {
  const memory = freshMemory(t)
  const before = treeOf(memory.project)
  const read = argumentsOf(engine).filter(({ type }) => !(type in OPEN))
  assert.ok(read.length > 90)
  for (const { name, type, call } of read) {
    const error = await rejection(() => call({ ...(fieldsOf(type).includes('projectDir') && memory.options), zzz: 1 }))
    assert.equal(error?.code, 'INVALID_INPUT', `${name}: ${error}`)
    const [, known] = /^zzz: unknown \w+; expected one of (.*)$/.exec(error.message) ?? []
    assert.deepEqual(known?.split(', '), fieldsOf(type), `${name}: ${error}`)
  }
  assert.deepEqual(treeOf(memory.project), before)
})

test('HTTP accepts every field of a capture and of an edit that the library accepts', async (t) => {
  const memory = freshMemory(t)
  mkdirSync(join(memory.project, 'src'))
  writeFileSync(join(memory.project, 'src', 'pool.ts'), 'export const pool = 1\n')
  const server = await serve({ port: 0, drain: false, projectDir: memory.project })
  t.after(() => server.close())
  const ask = callerOf(server)
  const old = await ask('POST', '/api/memory/capture', { type: 'lesson', body: 'The pool is closed first.' })
  const whole = {
    tool: 'forge_run_plan',
    type: 'lesson',
    body: 'The pool is closed last.',
    source: 'forge/plan',
    project: 'other',
    tags: ['pool'],
    confidence: 0.9,
    createdBy: 'someone',
    expiresAt: '2099-01-01T00:00:00.000Z',
    supersedes: [old.body.id],
    related: true,
    sourceFile: 'src/pool.ts',
    byteRange: [0, 6],
    codeHash: undefined,
    toolVersion: '1.2.3',
    sessionId: 'planning',
    ...facts,
  }
  const { content: _, ...others } = Object.fromEntries(fieldsOf('Capture').map((name) => [name, true]))
  assert.deepEqual(Object.keys(whole).sort(), Object.keys(others).sort(), 'every field is sent')
  const { status, body } = await ask('POST', '/api/memory/capture', whole)
  assert.equal(status, 201, JSON.stringify(body))
  const { sourceFile, byteRange, codeHash, toolVersion } = body.thought.hallmark
  assert.deepEqual([sourceFile, byteRange, toolVersion], ['src/pool.ts', [0, 6], '1.2.3'])
  assert.match(codeHash, /^sha256:/)
  assert.deepEqual([body.thought.supersedes, body.retired[0].id, body.related], [old.body.id, old.body.id, []])
  assert.match(body.thought.session, /^session\.[0-9a-f]{16}$/, 'only a hash of the name is stored')
  const hash = `sha256:${'0'.repeat(64)}`
  const stamped = await ask('POST', '/api/memory/capture', { type: 'lesson', content: 'Another one.', codeHash: hash })
  assert.equal(stamped.body.thought?.hallmark.codeHash, hash, JSON.stringify(stamped.body))

  const edits = {
    body: 'x',
    content: 'x',
    type: 'lesson',
    tags: ['y'],
    confidence: 1,
    expiresAt: whole.expiresAt,
    ...facts,
  }
  assert.deepEqual(Object.keys(edits).sort(), fieldsOf('Edit').sort())
  const edited = await ask('PATCH', `/api/memory/entry/${body.id}`, edits)
  assert.equal(edited.status, 200, JSON.stringify(edited.body))
})

test('HTTP has a parameter for every filter that the library has', async (t) => {
  const memory = freshMemory(t)
  const server = await serve({ port: 0, drain: false, projectDir: memory.project })
  t.after(() => server.close())
  const ask = callerOf(server)
  // What may be given several times has a name in the singular.
  const SINGULAR = { types: 'type', tags: 'tag' }
  const VALUES = {
    limit: '5',
    offset: '1',
    scope: 'all',
    since: '7d',
    minConfidence: '0.5',
    includeExpired: 'true',
    includeProposed: 'true',
    explain: 'true',
    highlights: 'true',
    mode: 'words',
  }
  for (const field of fieldsOf('RecallOptions').filter((name) => name !== 'projectDir')) {
    const name = SINGULAR[field] ?? field
    const value = encodeURIComponent(VALUES[field] ?? (field === 'at' ? '2026-01-01T00:00:00Z' : 'x'))
    for (const path of ['list?', 'recall?query=x&']) {
      const { status, body } = await ask('GET', `/api/memory/${path}${name}=${value}`)
      assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
    }
  }
  for (const field of fieldsOf('SeriesOptions').filter((name) => name !== 'projectDir')) {
    const value = { by: 'tool', bucket: 'hour', since: '7d' }[field]
    const { status, body } = await ask('GET', `/api/memory/series?${field}=${value}`)
    assert.equal(status, 200, `${field}: ${JSON.stringify(body)}`)
  }
})

/** What every tool leaves out: an agent works in the project that the server was started in. */
const ALWAYS = { projectDir: 'the server serves one project' }
const OTHER_NAME = { body: 'it is called content' }
const RELATED = { related: 'an agent is always told' }
const CAPTURED = { ...OTHER_NAME, ...RELATED, sessionId: 'the server is the session' }
/** An agent says what the user has said. */
const QUOTED = { quote: 'said' }
/** What is left out, and why; everything else that the library takes, the tool takes. */
const TOOLS = {
  memory_save: { declared: 'Save', names: QUOTED, leftOut: RELATED },
  memory_replace: { declared: 'Replacement' },
  memory_recall: { declared: 'RecallQuery' },
  forge_memory_capture: { declared: 'Capture', names: QUOTED, leftOut: CAPTURED },
  capture_thought: {
    declared: 'Capture',
    names: QUOTED,
    leftOut: {
      ...CAPTURED,
      tool: 'the source says it',
      byteRange: 'an agent knows lines, not bytes',
      codeHash: 'the engine computes it from the source file',
      toolVersion: 'an agent does not know it',
    },
  },
  list_thoughts: {
    declared: 'RecallOptions',
    names: { types: 'type', tags: 'tag' },
    leftOut: {
      offset: 'an agent narrows a list, it does not page',
      minConfidence: 'every note shows its confidence',
      includeExpired: 'an agent is not to follow what has expired',
      at: 'an agent works now',
      includeProposed: 'what waits is for people to read',
      explain: 'notes are to be checked, whatever their score',
      highlights: 'an agent reads texts, it does not show them',
      mode: 'a list is by time',
    },
  },
  ralph_memory_query: {
    declared: 'RalphQueryOptions',
    leftOut: { store: 'an agent searches all of them', days: 'they are for tables' },
  },
  forge_lattice_index: {
    declared: 'LatticeIndexOptions',
    leftOut: { maxSeconds: 'the project file says it', maxMemoryMb: 'the project file says it' },
  },
  forge_lattice_query: {
    declared: 'LatticeQueryOptions',
    leftOut: {
      foreign: 'an agent trusts no index that came with a clone',
      whole: 'an agent ranks by words, it knows no exact part of a name',
    },
  },
  forge_lattice_callers: {
    declared: 'LatticeSeed',
    leftOut: { foreign: 'an agent trusts no index that came with a clone' },
  },
  forge_lattice_callees: {
    declared: 'LatticeSeed',
    leftOut: { foreign: 'an agent trusts no index that came with a clone' },
  },
  forge_lattice_blast: {
    declared: 'LatticeBlastOptions',
    leftOut: { foreign: 'an agent trusts no index that came with a clone' },
  },
  forge_sync_memories: {
    declared: 'SyncMemoriesOptions',
    leftOut: { output: 'an agent does not choose files to write', force: 'likewise' },
  },
}
const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

test('an MCP tool accepts the fields of its library function, except the listed ones', async (t) => {
  const { client } = await connectStdio(t, freshCommand(t))
  const { tools } = await client.listTools()
  for (const [name, { declared, names = {}, leftOut = {} }] of Object.entries(TOOLS)) {
    const properties = Object.keys(tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {})
    const left = { ...ALWAYS, ...leftOut }
    for (const field of fieldsOf(declared)) {
      const isTaken = [field, snake(field), names[field]].some((each) => properties.includes(each))
      assert.equal(isTaken, !(field in left), `${name}: ${field} (${left[field] ?? 'not listed'})`)
    }
  }
})

test('an error of the library has a code and a hint, thrown or rejected', async (t) => {
  const memory = freshMemory(t)
  const errors = [
    () => library.captureMemory({ type: 'lesson' }, memory.options),
    () => library.showMemory('mem_ffffffff', memory.options),
    () => library.recall('x', { ...memory.options, limit: 'many' }),
    () => library.LocalEmbedder.open({ folder: join(memory.folder, 'nowhere') }),
    () => library.latticeCallers(7),
    () => library.latticeIndex({ ...memory.options, paths: ['../outside'] }),
    () => library.importMemory(join(memory.folder, 'nothing'), memory.options),
    () => library.searchThoughts('x', { ...memory.options, limit: -1 }),
    () => library.searchThoughts('x', { ...memory.options, lmit: 1 }),
    () => library.searchThoughts('x', 'options'),
    () => library.searchThoughts('x', null),
    () => library.drainOpenBrain('options'),
    () => library.createDrainWorker(7),
    () => library.captureThought('no object', memory.options),
  ]
  for (const call of errors) {
    const error = await (async () => call())().then(
      () => undefined,
      (reason) => reason,
    )
    assert.ok(error instanceof Error, String(call))
    assert.match(error.code, /^[A-Z_]+$/, String(call))
    assert.ok(typeof error.hint === 'string' && error.hint.length > 0, `${call}: ${error}`)
  }
})

test('an error inside of a result has a code, a message and a hint', (t) => {
  const memory = freshMemory(t)
  mkdirSync(memory.forge('hub-events.jsonl'), { recursive: true })
  const { captured, tiers } = library.captureMemory(
    { type: 'lesson', body: 'The pool is closed last.' },
    memory.options,
  )
  assert.deepEqual([captured, tiers.hub.ok, tiers.files], [true, false, { ok: true }])
  assert.deepEqual(Object.keys(tiers.hub.error), ['code', 'message', 'hint'])
  assert.match(tiers.hub.error.code, /^[A-Z_]+$/)
  assert.match(tiers.hub.error.message, /hub-events\.jsonl/)
})

test('HTTP and the command line show the hint of the engine, and the MCP server what an agent can do', async (t) => {
  const command = freshCommand(t)
  useHome(t, command.home)
  const hint = await (async () => library.showMemory('mem_ffffffff', { projectDir: command.project }))().catch(
    (error) => error.hint,
  )
  assert.match(hint, /^forge-memory list /)

  const server = await serve({ port: 0, drain: false, projectDir: command.project })
  t.after(() => server.close())
  const { status, body } = await callerOf(server)('GET', '/api/memory/entry/mem_ffffffff')
  assert.deepEqual([status, body.error.code, body.error.hint], [404, 'NOT_FOUND', hint])
  const refused = await callerOf({ ...server, token: 'wrong' })('GET', '/api/memory/status')
  assert.deepEqual([refused.status, typeof refused.body.error.hint], [401, 'string'])

  const { client } = await connectStdio(t, command)
  const answer = await client.callTool({ name: 'forge_hallmark_show', arguments: { id: 'mem_ffffffff' } })
  assert.equal(answer.isError, true)
  assert.deepEqual(
    answer.content.map(({ text }) => text),
    [
      `error: ${body.error.message} (NOT_FOUND)`,
      'hint: memory_recall returns the ids of records; the last six characters of one are enough',
    ],
  )

  const { stderr } = await command.run(['show', 'mem_ffffffff'])
  assert.ok(stderr.endsWith(`\nhint: ${hint}\n`), stderr)
})
