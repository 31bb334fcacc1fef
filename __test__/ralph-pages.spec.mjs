// The pages of `ralph`, by the letter: agents read them, and the table is Markdown.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'
import { treeOf } from './support/memory.mjs'
import { hasTerminal, onTerminal } from './support/terminal.mjs'

const GLOBAL = '.aiwg/ralph/memory.json'
const EXTERNAL = '.aiwg/ralph-external/memory.json'

function projectWith(t, files) {
  const command = freshCommand(t)
  const write = (file, text) => {
    const path = join(command.project, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  for (const [file, text] of Object.entries(files)) write(file, text)
  return { ...command, write, read: (file) => readFileSync(join(command.project, file), 'utf8') }
}

const withStore = (t, text) => projectWith(t, { [GLOBAL]: typeof text === 'string' ? text : JSON.stringify(text) })

function shown(command, args, env = {}) {
  const { status, stdout, stderr } = command.run(['ralph', ...args], { env })
  assert.equal(status, 0, stderr)
  return stdout
}

const list = (command, args = [], env = {}) => shown(command, ['list', ...args], env)
const query = (command, text) => shown(command, ['query', '--query', text])
const rowsOf = (page) => page.split('\n').filter((line) => line.startsWith('|'))

const EMPTY = `No memory entries found.

Al accumulates memory as it runs loops. Start a loop:
  /ralph "your task" --completion "criteria"
`

const failure = (id, loopId, iteration, createdAt, lesson, more) => {
  return { id, loopId, iteration, createdAt, type: 'failure_pattern', lesson, ...more }
}
const learned = (...fields) => ({ ...failure(...fields), type: 'lesson_learned' })
const success = (...fields) => ({ ...failure(...fields), type: 'success_pattern' })

const FOUR = [
  failure('mem_g7h8i9', 'def456', 2, '2026-03-28T11:00:00Z', 'ts-node does not support isolatedModules by default'),
  learned('mem_c3d4e5', 'abc123', 3, '2026-04-01T10:41:00Z', 'Use jest.resetAllMocks() in afterEach'),
  failure('mem_a1b2c3', 'abc123', 2, '2026-04-01T10:42:00Z', 'Auth mocks must be in beforeEach, not module scope'),
  success('mem_e5f6g7', 'def456', 5, '2026-03-28T12:00:00Z', 'ESM imports require .js extension in TypeScript'),
]
const EIGHT = [
  { ...FOUR[2], context: 'src/auth/auth.test.ts iteration 2', tags: ['auth', 'mocks', 'jest'], confidence: 0.9 },
  failure(
    'mem_x9y0z1',
    'ghi789',
    1,
    '2026-03-25T08:00:00Z',
    'Passport mock must stub req.user before middleware chain',
    { context: 'src/auth/middleware.test.ts', tags: ['auth', 'passport', 'mocks'], confidence: 0.6 },
  ),
  { ...FOUR[3], context: 'tsconfig.json', tags: ['esm'], confidence: 0.9 },
  learned(
    'mem_c3d4e5',
    'abc123',
    3,
    '2026-04-01T10:41:00Z',
    'Use jest.resetAllMocks() in afterEach to prevent mock state leakage',
    { context: 'src/auth/auth.test.ts iteration 3', tags: ['auth', 'jest', 'cleanup'], confidence: 0.8 },
  ),
  { ...FOUR[0], tags: [], confidence: 0.7 },
  learned('mem_j1k2l3', 'def456', 3, '2026-03-28T10:00:00Z', 'Run tsc before the bundler'),
  learned('mem_m4n5o6', 'def456', 4, '2026-03-28T09:00:00Z', 'Keep paths relative'),
  learned('mem_p7q8r9', 'abc123', 1, '2026-04-01T10:40:00Z', 'Reset the clock'),
]

test('a list is a table, newest first', (t) => {
  assert.equal(
    list(withStore(t, FOUR)),
    `Al Memory — 4 entries

| ID       | Type            | Loop   | Iter | Lesson                                              | Date       |
|----------|-----------------|--------|------|-----------------------------------------------------|------------|
| mem_a1b2 | failure_pattern | abc123 | 2    | Auth mocks must be in beforeEach, not module scope  | 2026-04-01 |
| mem_c3d4 | lesson_learned  | abc123 | 3    | Use jest.resetAllMocks() in afterEach               | 2026-04-01 |
| mem_e5f6 | success_pattern | def456 | 5    | ESM imports require .js extension in TypeScript     | 2026-03-28 |
| mem_g7h8 | failure_pattern | def456 | 2    | ts-node does not support isolatedModules by default | 2026-03-28 |

Use /ralph-memory query --query "<text>" to search.
`,
  )
})

test('one entry is one entry', (t) => {
  const page = list(withStore(t, '[{"id":"mem_1","lesson":"x"}]'))
  assert.ok(page.startsWith('Al Memory — 1 entry\n\n| ID    | Type | Loop | Iter | Lesson | Date |\n'), page)
  assert.ok(page.includes('\n| mem_1 |      |      |      | x      |      |\n'), page)
})

test('a query shows ranked blocks', (t) => {
  const command = withStore(t, EIGHT)
  assert.equal(
    query(command, 'auth mocks'),
    `Al Memory — query: "auth mocks"

3 matching entries (ranked by relevance):

1. [mem_a1b2] failure_pattern — confidence 0.90
   Lesson: Auth mocks must be in beforeEach, not module scope
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
`,
  )
  assert.equal(
    query(command, 'quantum'),
    'No memory entries match "quantum".\n\nTry broader terms or list all entries:\n  /ralph-memory list\n',
  )
})

test('more than ten answers are counted, and ten are shown', (t) => {
  const entries = Array.from({ length: 12 }, (_, at) => ({ id: `mem_${at}`, lesson: `auth ${at}` }))
  const page = query(withStore(t, entries), 'auth')
  assert.match(page, /\n12 matching entries \(ranked by relevance\):\n/)
  assert.match(page, /\n10\. \[/)
  assert.doesNotMatch(page, /\n11\. \[/)
  assert.ok(page.endsWith('\n... and 2 more; --limit shows more of them\n'), page)
})

test('an empty store and a missing one are distinguished', (t) => {
  const missing = (file) => `No Al memory found at ${file}.

Al has not accumulated any memory yet. Run a loop first:
  /ralph "your task" --completion "criteria"
`
  const none = freshCommand(t)
  assert.equal(list(none), missing(GLOBAL))
  assert.equal(query(none, 'x'), missing(GLOBAL))
  assert.equal(list(none, ['--store', 'external']), missing(EXTERNAL))
  assert.deepEqual(treeOf(none.project), treeOf(freshCommand(t).project), 'reading creates nothing')
  for (const empty of ['[]', '{}', '{"entries":[]}', '\ufeff[ ]']) assert.equal(list(withStore(t, empty)), EMPTY, empty)
  const command = withStore(t, EIGHT)
  const before = treeOf(command.project)
  assert.match(list(command, ['--since', '2026-04-02']), /^No memory entries since 2026-04-02\.\n/)
  assert.deepEqual(treeOf(command.project), before, 'reading changes nothing')
})

test('a store that is not JSON has a page of its own, which names the store', (t) => {
  const page = (file) => `Memory file is not valid JSON: ${file}

Options:
1. Delete and start fresh: rm ${file}
2. Inspect manually to repair
`
  for (const broken of ['', '  ', '{', '[1,', '[] x', 'nul', '"text"', '42', '{"entries":[{}]']) {
    const command = withStore(t, broken)
    for (const args of [['list'], ['query', '--query', 'x'], ['clear', '--yes']]) {
      assert.deepEqual(command.run(['ralph', ...args]), { status: 1, stdout: '', stderr: page(GLOBAL) }, broken)
    }
    assert.equal(JSON.parse(command.run(['--json', 'ralph', 'list']).stdout).error.code, 'CORRUPT')
    assert.equal(command.read(GLOBAL), broken)
  }
  const external = projectWith(t, { [GLOBAL]: '[]', [EXTERNAL]: '{' })
  assert.equal(external.run(['ralph', 'list', '--external']).stderr, page(EXTERNAL))
})

test('clearing one loop reports what remains, and clearing everything which file was reset', (t) => {
  const command = withStore(t, EIGHT)
  assert.equal(
    shown(command, ['clear', '--yes', '--loop-id', 'abc123']),
    'Cleared 3 memory entries for loop abc123.\n\nRemaining entries: 5 (in other loops)\n',
  )
  assert.equal(json(command, ['ralph', 'list']).entries.length, 5)
  assert.equal(
    shown(command, ['clear', '--yes', '--loop-id', 'ghi789']),
    'Cleared 1 memory entry for loop ghi789.\n\nRemaining entries: 4 (in other loops)\n',
  )
  assert.equal(
    shown(command, ['clear', '--yes']),
    'Al memory cleared. 4 entries deleted.\n\nMemory file reset: .aiwg/ralph/memory.json\n',
  )
  assert.deepEqual(JSON.parse(command.read(GLOBAL)), [])
  assert.equal(shown(command, ['clear', '--yes']), EMPTY)
})

/** The question that clearing asks on a terminal, up to where the answer is typed. */
function questionOf(command, args) {
  const { screen } = onTerminal(command, ['ralph', 'clear', ...args], 'no\n')
  const start = screen.indexOf('This will')
  return screen.slice(start, screen.indexOf("Type 'yes' to confirm:", start))
}

test('y is yes for clearing too', (t) => {
  if (!hasTerminal) return assert.notEqual(process.platform, 'linux', 'the program `script` is missing')
  const command = projectWith(t, { [GLOBAL]: JSON.stringify(EIGHT) })
  onTerminal(command, ['ralph', 'clear'], 'n\n')
  assert.equal(command.read(GLOBAL), JSON.stringify(EIGHT))
  onTerminal(command, ['ralph', 'clear'], 'y\n')
  assert.deepEqual(JSON.parse(command.read(GLOBAL)), [])
})

test('clearing asks with a line for each loop', (t) => {
  if (!hasTerminal) return assert.notEqual(process.platform, 'linux', 'the program `script` is missing')
  const titles = { abc123: 'Fix auth tests', def456: 'ESM migration', ghi789: 'Middleware fix' }
  const states = Object.entries(titles).map(([loopId, objective]) => {
    const state = JSON.stringify({ loopId, objective })
    return [`.aiwg/ralph-external/loops/${loopId}/session-state.json`, state]
  })
  const command = projectWith(t, { ...Object.fromEntries(states), [GLOBAL]: JSON.stringify(EIGHT) })
  assert.equal(
    questionOf(command, []),
    `This will permanently delete 8 memory entries.

Entries by loop:
  abc123 — 3 entries (Fix auth tests, 2026-04-01)
  def456 — 4 entries (ESM migration, 2026-03-28)
  ghi789 — 1 entry  (Middleware fix, 2026-03-25)

`,
  )
  assert.equal(command.read(GLOBAL), JSON.stringify(EIGHT))
})

test('the question mentions entries without a loop and several files', (t) => {
  if (!hasTerminal) return assert.notEqual(process.platform, 'linux', 'the program `script` is missing')
  const store = [
    { lesson: 'x' },
    { lesson: 'y', loopId: 'a-longer-id', createdAt: '2026-04-01T00:00:00Z' },
    { lesson: 'z', loopId: 'a-longer-id' },
  ]
  const command = projectWith(t, { [GLOBAL]: JSON.stringify(store), [EXTERNAL]: '["w"]' })
  assert.equal(
    questionOf(command, ['--store', 'all']),
    `This will permanently delete 4 memory entries.

Entries by loop:
  a-longer-id — 2 entries (2026-04-01)
  (no loop)   — 2 entries

Memory files:
  .aiwg/ralph/memory.json
  .aiwg/ralph-external/memory.json

`,
  )
})

test('bars, line breaks and controls cannot break the table', (t) => {
  const lesson = 'a | b\n| c\r\n\u001b[31m\u202e d\\| \u2028 e'
  const command = withStore(t, [{ id: 'mem_1', loopId: 'l|1\n', lesson, tags: ['t\nt'] }])
  const page = list(command)
  const rows = rowsOf(page)
  assert.equal(rows.length, 3, page)
  assert.ok(rows[2].includes('l\\|1 '), page)
  assert.ok(rows[2].includes('a \\| b \\| c \\u{1b}[31m\\u{202e} d\\ \\| e'), page)
  assert.deepEqual([...new Set(rows.map((row) => row.length))].length, 1, page)
  assert.ok(!query(command, 'a').includes('\nt'), 'a tag stays on its line')
})

test('long lessons are cut to the width, and wide characters count double', (t) => {
  const lesson = '教訓を覚える'.repeat(20)
  const command = withStore(t, [
    { id: 'mem_1', lesson },
    { id: 'mem_2', lesson: 'word '.repeat(40) },
  ])
  const columns = (line) => [...line].reduce((sum, c) => sum + (c > '\u1100' && c !== '…' ? 2 : 1), 0)
  const page = list(command, [], { COLUMNS: '80' })
  assert.deepEqual([...new Set(rowsOf(page).map(columns))], [80], page)
  assert.equal(page.split('…').length - 1, 2)
  const whole = list(command)
  assert.ok(whole.includes(lesson) && !whole.includes('…'))
  const narrow = list(command, [], { COLUMNS: '1' })
  assert.ok(narrow.includes('word word word word…'), narrow)
})

test('one very long lesson does not widen every row', (t) => {
  const long = 'word '.repeat(20_000)
  const command = withStore(t, [
    { id: 'mem_1', lesson: long },
    { id: 'mem_2', lesson: 'short', loopId: 'l'.repeat(1000) },
  ])
  const page = list(command)
  assert.ok(page.includes(long.trim()), 'off a terminal it is whole')
  assert.ok(page.length < long.length + 6000, `${page.length}`)
  assert.ok(list(command, [], { COLUMNS: '100' }).length < 6000)
})

test('a long table has a row for every entry, in their order, and a long document is what the function returns', (t) => {
  const entries = Array.from({ length: 5000 }, (_, at) => {
    const id = `mem_${String(at).padStart(6, '0')}`
    return at % 50 === 7
      ? { id, lesson: 'a "quoted" | lesson\nof two lines', tags: ['\u202e', 'é'] }
      : failure(id, `loop-${at % 9}`, at % 12, `2026-04-${String((at % 28) + 1).padStart(2, '0')}`, `lesson ${at}`)
  })
  const command = withStore(t, entries)
  const document = json(command, ['ralph', 'list'])
  assert.equal(document.entries.length, entries.length)
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  for (const entry of document.entries) {
    assert.deepEqual(entry, { confidence: 0.7, tags: [], type: '', ...byId.get(entry.id) })
  }
  const rows = rowsOf(list(command)).slice(2)
  assert.deepEqual(
    rows.map((row) => row.slice(2, 10)),
    document.entries.map(({ id }) => id.slice(0, 8)),
  )
  assert.equal(new Set(rows.map((row) => row.length)).size, 1)
})
