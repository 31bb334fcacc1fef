// Random configurations: `init --remove` reverses `init` byte for byte, and entries of others are never lost.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { AGENTS, applyPlan, planInit, planRemoval } from '../dist/init/index.js'
import { filesUnder, freshFolder } from './support/project.mjs'

// Each run would copy the native program, which is large in a debug build.
process.env.FORGE_MEMORY_HOOK = 'node'

const name = fc.constantFrom('a', 'other', 'forge', 'hooks', 'forge-memory-x', 'ключ', 'x y', '__proto__', '')
const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom('// no comment', '/* x', '"quoted"', '\\', 'forge-memory hook Stop', 'é😀'),
)
const value = fc.letrec((again) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    again('list'),
    again('object'),
  ),
  list: fc.array(again('any'), { maxLength: 3 }),
  object: fc.dictionary(name, again('any'), { maxKeys: 3 }),
})).any

/** Servers, one of which may have taken our name. */
const foreignServer = fc.oneof(
  fc.record({ command: fc.constantFrom('docker', 'forge-memoryd', 'echo'), args: fc.array(text, { maxLength: 3 }) }),
  fc.record({ url: text }),
  value,
)
const servers = fc.dictionary(fc.constantFrom('other', 'forge-memory', 'x'), foreignServer, { maxKeys: 3 })

const foreignCommand = fc.constantFrom(
  'say done',
  'echo "forge-memory hook Stop"',
  'forge-memory hook Stop && say done',
  'x',
)
const handler = fc.record(
  { type: fc.constant('command'), command: foreignCommand, timeout: fc.integer({ min: 1, max: 60 }) },
  { requiredKeys: ['command'] },
)
const group = fc.record({ matcher: text, hooks: fc.array(handler, { maxLength: 3 }) }, { requiredKeys: ['hooks'] })
const entry = fc.oneof(group, handler, value)
const event = fc.constantFrom('Stop', 'stop', 'SessionStart', 'sessionStart', 'afterFileEdit', 'PostToolUse', 'odd')
const hookLists = fc.dictionary(event, fc.array(entry, { maxLength: 3 }), { maxKeys: 4 })

const config = (list, content) =>
  fc
    .record({ [list]: content, model: text, version: value, extra: value }, { requiredKeys: [] })
    .filter((file) => file[list] === undefined || typeof file[list] === 'object')

/** Serializes a value in a random style: indentation, comments, trailing commas. */
const layout = fc.record({
  unit: fc.constantFrom(0, 2, 4, '\t', 1),
  eol: fc.constantFrom('\n', '\r\n'),
  bom: fc.constantFrom('', '\ufeff'),
  head: fc.constantFrom('', '// mine\n', '/* a\n b */ '),
  comment: fc.constantFrom('', ' // why', ' /* why */'),
  trailing: fc.boolean(),
  end: fc.constantFrom('', '\n', '\n\n', '  '),
})

function write({ unit, eol, bom, head, comment, trailing, end }, object) {
  let body = JSON.stringify(object, null, unit)
  // Between lines only: a line of the layout is never inside of a string.
  if (unit !== 0 && comment !== '') body = body.replace(/\n/, `${comment}\n`)
  if (unit !== 0 && trailing) body = body.replace(/(["\d\w}\]])\n(\s*)\}$/, '$1,\n$2}')
  return bom + `${head}${body}${end}`.replaceAll('\n', eol)
}

const laidOut = (content) => fc.tuple(layout, content).map(([how, object]) => write(how, object))
const blanks = fc.constantFrom('', '\n', '  ', '{}', '{ }\n', '\ufeff', '\ufeff{}')
const lines = fc
  .tuple(fc.array(fc.constantFrom('node_modules', '# x', '', '*.log', '## Rules', 'é'), { maxLength: 6 }), layout)
  .map(([all, { eol, bom, end }]) => bom + `${all.join('\n')}${end}`.replaceAll('\n', eol))

const FILES = {
  '.mcp.json': fc.oneof(laidOut(config('mcpServers', servers)), blanks),
  '.cursor/mcp.json': fc.oneof(laidOut(config('mcpServers', servers)), blanks),
  '.vscode/mcp.json': fc.oneof(laidOut(config('servers', servers)), blanks),
  '.claude/settings.json': fc.oneof(laidOut(config('hooks', hookLists)), blanks),
  '.cursor/hooks.json': fc.oneof(laidOut(config('hooks', hookLists)), blanks),
  '.github/hooks/forge-memory.json': laidOut(config('hooks', hookLists)),
  '.github/copilot-instructions.md': lines,
  '.gitignore': lines,
  '.gitattributes': lines,
  '.claude/skills/forge-memory/SKILL.md': lines,
  'CLAUDE.md': lines,
}
const project = fc.record(FILES, { requiredKeys: [] })
const agents = fc.subarray(AGENTS, { minLength: 1 })

// Without git: what it does is not looked at here, and starting it takes longer than the rest.
process.env.PATH = ''

const snapshot = (folder) =>
  Object.fromEntries(filesUnder(folder).map((path) => [path, readFileSync(join(folder, path)).toString('latin1')]))

/** Creates the files of one case in a folder, and passes it to `check`. */
function inFolder(t) {
  const folder = freshFolder(t)
  process.env.FORGE_HOME = join(folder, 'home')
  const root = join(folder, 'project')
  return (files, check) => {
    for (const each of [root, process.env.FORGE_HOME]) {
      rmSync(each, { recursive: true, force: true })
      mkdirSync(each)
    }
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
    }
    check(root)
  }
}

const init = (root, which) => applyPlan(planInit(root, which))
/** Every run writes a dozen files through to the disk. */
const RUNS = { numRuns: Number(process.env.PROPERTY_RUNS ?? 80), includeErrorInReport: true }

test('init and then --remove is byte-identical', (t) => {
  const within = inFolder(t)
  const property = fc.property(project, agents, agents, (files, first, second) =>
    within(files, (root) => {
      const before = snapshot(root)
      init(root, first)
      init(root, second)
      applyPlan(planRemoval(root))
      assert.deepEqual(snapshot(root), before)
      assert.deepEqual(filesUnder(process.env.FORGE_HOME), [])
    }),
  )
  fc.assert(property, RUNS)
})

test('init twice is init once', (t) => {
  const within = inFolder(t)
  const property = fc.property(project, agents, (files, which) =>
    within(files, (root) => {
      init(root, which)
      const once = snapshot(root)
      assert.deepEqual(planInit(root, which).changes, [])
      init(root, which)
      assert.deepEqual(snapshot(root), once)
    }),
  )
  fc.assert(property, RUNS)
})

/** Every scalar with the way to it; elements of lists by what they are, as ours may stand among them. */
function leaves(thing, path = '') {
  if (Array.isArray(thing)) return thing.flatMap((each) => leaves(each, `${path}[]`))
  if (typeof thing !== 'object' || thing === null) return [`${path}=${JSON.stringify(thing)}`]
  return Object.entries(thing).flatMap(([key, each]) => leaves(each, `${path}.${key}`))
}

function contains(all, some) {
  const left = [...all]
  return some.filter((each) => {
    const at = left.indexOf(each)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

test('no foreign value disappears, also when the file was edited between init and --remove', (t) => {
  const within = inFolder(t)
  const property = fc.property(project, agents, (files, which) =>
    within(files, (root) => {
      const read = (path) => readFileSync(join(root, path), 'utf8').replace(/^\ufeff/, '')
      const json = Object.keys(files).filter((path) => path.endsWith('.json') && read(path).trim() !== '')
      const wanted = Object.fromEntries(json.map((path) => [path, leaves(parse(read(path)))]))
      init(root, which)
      for (const path of json) {
        // What had our name is kept elsewhere until `--remove`; everything else is still there.
        const others = wanted[path].filter((leaf) => !/^\.(mcpServers|servers)\.forge-memory[.=[]/.test(leaf))
        assert.deepEqual(contains(leaves(parse(read(path))), others), [], path)
        writeFileSync(join(root, path), `${readFileSync(join(root, path), 'utf8')}\n// edited\n`)
      }
      applyPlan(planRemoval(root))
      for (const path of json) {
        // The version of a format is left to a file that has more in it than ours.
        const now = leaves(parse(read(path))).filter((leaf) => leaf !== '.version=1' || wanted[path].includes(leaf))
        assert.deepEqual([contains(now, wanted[path]), contains(wanted[path], now)], [[], []], path)
      }
    }),
  )
  fc.assert(property, RUNS)
})
