import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'
import { treeOf } from './support/memory.mjs'
import { root } from './support/project.mjs'
import { hasTerminal, onTerminal } from './support/terminal.mjs'

const entry = (id, loopId, iteration, createdAt, type, lesson, more) => ({
  id,
  loopId,
  iteration,
  createdAt,
  type,
  lesson,
  ...more,
})
const STORE = [
  entry(
    'mem_x9y0z1',
    'ghi789',
    1,
    '2026-03-25T08:00:00Z',
    'failure_pattern',
    'Passport mock must stub req.user before middleware chain',
    {
      context: 'src/auth/middleware.test.ts',
      tags: ['auth', 'passport', 'mocks'],
      confidence: 0.6,
    },
  ),
  entry(
    'mem_a1b2c3',
    'abc123',
    2,
    '2026-04-01T10:42:00Z',
    'failure_pattern',
    'Auth mocks must be initialized inside beforeEach, not at module scope',
    {
      context: 'src/auth/auth.test.ts iteration 2',
      tags: ['auth', 'mocks', 'jest'],
      confidence: 0.9,
    },
  ),
  entry(
    'mem_c3d4e5',
    'abc123',
    3,
    '2026-04-01T10:41:00Z',
    'lesson_learned',
    'Use jest.resetAllMocks() in afterEach to prevent mock state leakage',
    {
      context: 'src/auth/auth.test.ts iteration 3',
      tags: ['auth', 'jest', 'cleanup'],
      confidence: 0.8,
    },
  ),
]

function withStore(t, text = JSON.stringify(STORE, null, 2)) {
  const command = freshCommand(t)
  const store = join(command.project, '.aiwg', 'ralph', 'memory.json')
  mkdirSync(dirname(store), { recursive: true })
  writeFileSync(store, text)
  return { ...command, store }
}

const said = (stdout) => ({ status: 0, stdout, stderr: '' })
const failed = (status, stderr) => ({ status, stdout: '', stderr })

const LIST = `Al Memory — 3 entries

| ID       | Type            | Loop   | Iter | Lesson                                                                | Date       |
|----------|-----------------|--------|------|-----------------------------------------------------------------------|------------|
| mem_a1b2 | failure_pattern | abc123 | 2    | Auth mocks must be initialized inside beforeEach, not at module scope | 2026-04-01 |
| mem_c3d4 | lesson_learned  | abc123 | 3    | Use jest.resetAllMocks() in afterEach to prevent mock state leakage   | 2026-04-01 |
| mem_x9y0 | failure_pattern | ghi789 | 1    | Passport mock must stub req.user before middleware chain              | 2026-03-25 |

Use /ralph-memory query --query "<text>" to search.
`
const MISSING = `No Al memory found at .aiwg/ralph/memory.json.

Al has not accumulated any memory yet. Run a loop first:
  /ralph "your task" --completion "criteria"
`
const EMPTY = `No memory entries found.

Al accumulates memory as it runs loops. Start a loop:
  /ralph "your task" --completion "criteria"
`
const CORRUPT = `Memory file is not valid JSON: .aiwg/ralph/memory.json

Options:
1. Delete and start fresh: rm .aiwg/ralph/memory.json
2. Inspect manually to repair
`

test('list prints the table, newest first', (t) => {
  assert.deepEqual(withStore(t).run(['ralph', 'list']), said(LIST))
})

test('query prints the documented answer to the documented question', (t) => {
  assert.deepEqual(
    withStore(t).run(['ralph', 'query', '--query', 'auth mocks']),
    said(`Al Memory — query: "auth mocks"

3 matching entries (ranked by relevance):

1. [mem_a1b2] failure_pattern — confidence 0.90
   Lesson: Auth mocks must be initialized inside beforeEach, not at module scope
   Context: src/auth/auth.test.ts iteration 2
   Tags: auth, mocks, jest
   Loop: abc123, Iter: 2, Date: 2026-04-01

2. [mem_c3d4] lesson_learned — confidence 0.80
   Lesson: Use jest.resetAllMocks() in afterEach to prevent mock state leakage
   Context: src/auth/auth.test.ts iteration 3
   Tags: auth, jest, cleanup
   Loop: abc123, Iter: 3, Date: 2026-04-01

3. [mem_x9y0] failure_pattern — confidence 0.60
   Lesson: Passport mock must stub req.user before middleware chain
   Context: src/auth/middleware.test.ts
   Tags: auth, passport, mocks
   Loop: ghi789, Iter: 1, Date: 2026-03-25
`),
  )
})

test('query without a match, and without words, gives a hint', (t) => {
  const command = withStore(t)
  assert.deepEqual(
    command.run(['ralph', 'query', '--query', 'quantum']),
    said('No memory entries match "quantum".\n\nTry broader terms or list all entries:\n  /ralph-memory list\n'),
  )
  const usage = `Error: --query is required for the 'query' subcommand.

Usage:
  /ralph-memory query --query "auth mocks"
  /ralph-memory query --query "typescript" --since 7d
`
  const before = treeOf(command.project)
  assert.deepEqual(command.run(['ralph', 'query']), failed(2, usage))
  assert.deepEqual(command.run(['ralph', 'query', '--query', '']), failed(2, usage))
  assert.deepEqual(treeOf(command.project), before)
})

test('a missing, an empty and a broken store are distinguished', (t) => {
  const none = freshCommand(t)
  for (const args of [['list'], ['query', '--query', 'x'], ['clear', '--yes']]) {
    assert.deepEqual(none.run(['ralph', ...args]), said(MISSING))
  }
  assert.ok(!existsSync(join(none.project, '.aiwg')))
  const empty = withStore(t, '[]')
  for (const args of [['list'], ['clear', '--yes']]) assert.deepEqual(empty.run(['ralph', ...args]), said(EMPTY))
  const broken = withStore(t, '[{"id":')
  for (const args of [['list'], ['query', '--query', 'x'], ['clear', '--yes']]) {
    assert.deepEqual(broken.run(['ralph', ...args]), failed(1, CORRUPT))
  }
  assert.equal(broken.run(['ralph', 'add', 'x']).status, 1)
  assert.equal(readFileSync(broken.store, 'utf8'), '[{"id":')
})

test('that nothing is newer is said otherwise than that there is nothing', (t) => {
  const { status, stdout } = withStore(t).run(['ralph', 'list', '--since', '2026-05-01'])
  assert.deepEqual([status, stdout.split('\n')[0]], [0, 'No memory entries since 2026-05-01.'])
  assert.deepEqual(withStore(t, '[]').run(['ralph', 'list', '--since', '7d']), said(EMPTY))
})

/** Writes a store or a state below .aiwg. */
function write(command, path, value) {
  const at = join(command.project, '.aiwg', path)
  mkdirSync(dirname(at), { recursive: true })
  writeFileSync(at, JSON.stringify(value))
  return at
}

test('without a loop the global store is read alone, and --external adds the other', (t) => {
  const command = withStore(t)
  write(command, 'ralph-external/memory.json', [
    entry('mem_ext', 'e1', 1, '2026-04-02T00:00:00Z', 'lesson_learned', 'Out'),
  ])
  const count = (...args) => {
    const { entries, total } = json(command, ['ralph', ...args])
    return total ?? entries.length
  }
  assert.deepEqual([count('list'), count('list', '--external'), count('list', '--store', 'external')], [3, 4, 1])
  assert.deepEqual([count('query', '--query', 'out'), count('query', '--query', 'out', '--external')], [0, 1])
  assert.deepEqual([count('list', '--loop-id', 'e1')], [1])
  assert.equal(command.run(['ralph', 'list', '--external', '--store', 'global']).status, 2)
})

test('the state of a single loop is read, and clearing it empties what it repeats', (t) => {
  const command = withStore(t)
  const state = {
    loopId: 'one-loop',
    objective: 'Fix it',
    iterations: [{ number: 1, learnings: ['Mind the gap'] }],
    accumulatedLearnings: '### Iteration 1\nMind the gap',
  }
  const at = write(command, 'ralph-external/session-state.json', state)
  const [found] = json(command, ['ralph', 'list', '--loop-id', 'one-loop']).entries
  assert.deepEqual([found.lesson, found.iteration, found.loopId], ['Mind the gap', 1, 'one-loop'])
  assert.equal(command.run(['ralph', 'clear', '--loop-id', 'one-loop', '--yes']).status, 0)
  const left = JSON.parse(readFileSync(at, 'utf8'))
  assert.deepEqual(left, { ...state, iterations: [{ number: 1, learnings: [] }], accumulatedLearnings: '' })
})

test('the state of the only loop, to which a link leads, is read and cleared once', (t) => {
  const command = withStore(t)
  const state = { loopId: 'one-loop', iterations: [{ number: 1, learnings: ['Mind the gap', 'Mind the step'] }] }
  const at = write(command, 'ralph-external/loops/folder-1/session-state.json', state)
  symlinkSync('loops/folder-1/session-state.json', join(command.project, '.aiwg/ralph-external/session-state.json'))
  for (const id of ['one-loop', 'folder-1']) {
    const { entries } = json(command, ['ralph', 'list', '--loop-id', id])
    assert.deepEqual(entries.map(({ lesson }) => lesson).sort(), ['Mind the gap', 'Mind the step'])
    assert.equal(json(command, ['ralph', 'query', '--query', 'mind', '--loop-id', id]).entries.length, 2)
  }
  const { stdout } = command.run(['ralph', 'clear', '--loop-id', 'one-loop', '--yes'])
  assert.match(stdout, /^Cleared 2 memory entries for loop one-loop\./)
  assert.deepEqual(JSON.parse(readFileSync(at, 'utf8')).iterations, [{ number: 1, learnings: [] }])
})

test('clear says what it did, for all loops and for one', (t) => {
  const command = withStore(t)
  assert.deepEqual(
    command.run(['ralph', 'clear', '--loop-id', 'abc123', '--yes']),
    said('Cleared 2 memory entries for loop abc123.\n\nRemaining entries: 1 (in other loops)\n'),
  )
  assert.deepEqual(JSON.parse(readFileSync(command.store, 'utf8')), STORE.slice(0, 1))
  assert.deepEqual(
    command.run(['ralph', 'clear', '--yes']),
    said('Al memory cleared. 1 entry deleted.\n\nMemory file reset: .aiwg/ralph/memory.json\n'),
  )
  assert.equal(readFileSync(command.store, 'utf8'), '[]')
})

test('clear without a terminal refuses, whatever is on standard input', (t) => {
  const command = withStore(t)
  const before = treeOf(command.project)
  for (const input of ['', 'yes\n', 'no\n']) {
    const { status, stdout, stderr } = command.run(['ralph', 'clear'], { input })
    assert.deepEqual([status, stdout], [2, ''])
    assert.match(stderr, /^error: .+ \(INVALID_INPUT\)\nhint: add --yes .+\n$/)
  }
  assert.deepEqual(treeOf(command.project), before)
})

const bad = [
  [['list', '--since', '7x'], 2, 'INVALID_INPUT'],
  [['list', '--since', '-1d'], 2, 'INVALID_INPUT'],
  [['list', '--since', ''], 2, 'INVALID_INPUT'],
  [['query', '--query', 'x', '--since', '2026-13-01'], 2, 'INVALID_INPUT'],
  [['list', '--loop-id', 'abc12'], 1, 'NOT_FOUND'],
  [['clear', '--yes', '--loop-id', 'nobody'], 1, 'NOT_FOUND'],
  [['clear', '--yes', '--since', '7d'], 2, 'INVALID_INPUT'],
  [['list', '--store', 'elsewhere'], 2, 'INVALID_INPUT'],
  [['query', '--query', 'x', '--limit', 'many'], 2, 'INVALID_INPUT'],
  [['add', '--type', 'gotcha', 'x'], 2, 'INVALID_INPUT'],
  [['add', ' '], 2, 'INVALID_INPUT'],
  [['lst'], 2, 'INVALID_INPUT'],
]
for (const [args, exitCode, code] of bad) {
  test(`"ralph ${args.join(' ')}" exits with ${exitCode}, says ${code}, and leaves the store alone`, (t) => {
    const command = withStore(t)
    const before = treeOf(command.project)
    const { status, stdout, stderr } = command.run(['ralph', ...args])
    assert.deepEqual([status, stdout], [exitCode, ''], stderr)
    assert.match(stderr, new RegExp(`^error: .+ \\(${code}\\)\\nhint: .+\\n$`))
    const document = JSON.parse(command.run(['--json', 'ralph', ...args]).stdout)
    assert.equal(document.error.code, code)
    assert.deepEqual(treeOf(command.project), before)
  })
}

test('a folder and a huge file in the place of the store are refused with a reason', (t) => {
  const command = withStore(t)
  truncateSync(command.store, 2 ** 30)
  const huge = command.run(['ralph', 'list'])
  assert.deepEqual([huge.status, huge.stdout], [1, ''])
  assert.match(huge.stderr, /^error: .+memory\.json with 1024 MiB .+ \(UNSUPPORTED\)\n/)
  rmSync(command.store)
  mkdirSync(command.store)
  const folder = command.run(['ralph', 'list'])
  assert.deepEqual([folder.status, folder.stdout], [1, ''])
  assert.match(folder.stderr, /^error: .+a folder has the name of the file \(UNSAFE_PATH\)\n/)
})

test('an entry with values of the wrong type is listed without them, with a warning', (t) => {
  const text = '[{"id":"mem_1","lesson":["x"],"confidence":"high"},7]'
  const command = withStore(t, text)
  const { status, stdout, stderr } = command.run(['ralph', 'list'])
  assert.equal(status, 0)
  assert.match(stdout, /^Al Memory — 1 entry\n/)
  assert.match(stderr, /^warning: .+mem_1 \(lesson, confidence\)\nwarning: .+one element is not an entry/)
  assert.equal(readFileSync(command.store, 'utf8'), text)
})

test('--json prints one document for every one of the four', (t) => {
  const command = withStore(t)
  assert.deepEqual(json(command, ['ralph', 'list', '--loop-id', 'ghi789']).entries, STORE.slice(0, 1))
  const { query, total, entries } = json(command, ['ralph', 'query', '--query', 'auth', '--limit', '1'])
  assert.deepEqual([query, total, entries.length], ['auth', 3, 1])
  const added = json(command, [
    'ralph',
    'add',
    '--loop-id',
    'l',
    '--iteration',
    '2',
    '--tag',
    'a',
    '--tag',
    'b',
    'A',
    'lesson',
  ])
  assert.deepEqual([added.added, added.entry.lesson, added.entry.tags], [true, 'A lesson', ['a', 'b']])
  assert.deepEqual(json(command, ['ralph', 'add', '-'], { input: 'a LESSON\n' }).duplicateOf, added.id)
  assert.deepEqual(json(command, ['ralph', 'clear', '--yes']).deleted, 4)
  const hostile = 'red \u001b[31m \u009b2J \u202e \u{e0041} end'
  writeFileSync(command.store, JSON.stringify([{ id: `x${hostile}`, lesson: hostile, type: hostile, tags: [hostile] }]))
  for (const args of [
    ['list'],
    ['query', '--query', 'red'],
    ['list', '--json'],
    ['query', '--query', 'red', '--json'],
  ]) {
    const { stdout, stderr } = command.run(['ralph', ...args])
    assert.doesNotMatch(`${stdout}${stderr}`, /[^\n\P{Cc}]|[\u202e\u{e0041}]/u)
  }
  assert.equal(json(command, ['ralph', 'list']).entries[0].lesson, hostile)
})

test('lessons are cut to the width of the page in the table and nowhere else', (t) => {
  const command = withStore(t, JSON.stringify([{ id: 'mem_1', lesson: 'word '.repeat(60) }]))
  const env = { COLUMNS: '70' }
  const rows = command
    .run(['ralph', 'list'], { env })
    .stdout.split('\n')
    .filter((line) => line.startsWith('|'))
  assert.deepEqual([...new Set(rows.map((row) => row.length))], [70])
  assert.match(rows[2], /word… \|/)
  assert.equal(json(command, ['ralph', 'list'], { env }).entries[0].lesson.length, 300)
})

test('on a terminal clear asks, and only a yes deletes', (t) => {
  if (!hasTerminal) return assert.notEqual(process.platform, 'linux', 'the program `script` is missing')
  const command = withStore(t)
  const state = join(command.project, '.aiwg/ralph-external/loops/abc123/session-state.json')
  mkdirSync(dirname(state), { recursive: true })
  writeFileSync(state, '{"objective":"Fix auth tests"}')
  const before = readFileSync(command.store, 'utf8')
  for (const answer of ['no', 'n', 'yes please', '']) {
    const { status, screen } = onTerminal(command, ['ralph', 'clear'], `${answer}\n`)
    assert.equal(status, 1, screen)
    assert.match(screen, /Nothing was deleted\.\n$/)
    assert.equal(readFileSync(command.store, 'utf8'), before)
  }
  const { status, screen } = onTerminal(command, ['ralph', 'clear'], 'yes\n')
  assert.equal(status, 0)
  const shown = screen.slice(screen.indexOf('This will'))
  assert.ok(
    shown.startsWith(`This will permanently delete 3 memory entries.

Entries by loop:
  abc123 — 2 entries (Fix auth tests, 2026-04-01)
  ghi789 — 1 entry  (2026-03-25)

Type 'yes' to confirm:`),
    screen,
  )
  assert.ok(
    screen.endsWith('Al memory cleared. 3 entries deleted.\n\nMemory file reset: .aiwg/ralph/memory.json\n'),
    screen,
  )
  assert.equal(readFileSync(command.store, 'utf8'), '[]')
})

test('the skill maps requests to existing commands', (t) => {
  const skill = readFileSync(join(root, 'skills/ralph-memory/SKILL.md'), 'utf8')
  for (const words of [
    'ralph memory',
    'ralph memories',
    'list ralph memory',
    'query ralph memory',
    'what has ralph learned',
    'show ralph lessons',
    'clear ralph memory',
  ]) {
    assert.ok(skill.split('---')[1].includes(`"${words}"`), words)
  }
  const command = freshCommand(t)
  const known = new Set(
    ['list', 'query', 'clear', 'add'].flatMap((name) => {
      const { status, stdout } = command.run(['ralph', name, '--help'])
      assert.equal(status, 0)
      return [...stdout.matchAll(/--[a-z-]+/g)].map(([option]) => `${name} ${option}`)
    }),
  )
  const used = [...skill.matchAll(/forge-memory ralph (list|query|clear|add)([^`\n]*)/g)]
  assert.ok(used.length >= 6)
  for (const [line, name, rest] of used) {
    for (const [option] of rest.matchAll(/(?<=\s)--[a-z-]+/g)) assert.ok(known.has(`${name} ${option}`), line)
  }
})
