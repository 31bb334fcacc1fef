import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import test from 'node:test'
import { forget, listMemories, memorySave, recall } from '../index.js'
import { freshMemory, physicalLines } from './support/memory.mjs'
import { filesUnder } from './support/project.mjs'

const CATEGORIES = [
  'convention',
  'failure_pattern',
  'success_pattern',
  'test_command',
  'architecture',
  'dependency',
  'tool_usage',
]
const PATTERN = 'pnpm vitest --run for CI; watch mode hangs'

const save = (memory, fields) => memorySave({ pattern: PATTERN, category: 'test_command', ...fields }, memory.options)
const linesOf = (path) => (existsSync(path) ? physicalLines(path).map((line) => JSON.parse(line)) : [])

test('a save appends one line with the documented keys in their order', (t) => {
  const memory = freshMemory(t)
  const before = Date.now()
  const { id } = save(memory, { confidence: 0.9, tags: ['ci'] })
  const [line, ...rest] = physicalLines(memory.patterns)
  assert.deepEqual(rest, [])
  const { timestamp, said, hallmark } = JSON.parse(line)
  const expected = { id, timestamp, pattern: PATTERN, category: 'test_command', confidence: 0.9, _v: 1, tags: ['ci'] }
  assert.equal(line, JSON.stringify({ ...expected, said, hallmark }))
  assert.equal(said, 'agent/api')
  assert.deepEqual(Object.keys(hallmark), ['schemaVersion', 'toolName', 'capturedAt', 'contentHash'])
  assert.match(id, /^mem_[0-9a-f]{32}$/)
  assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.ok(Date.parse(timestamp) >= before && Date.parse(timestamp) <= Date.now())
})

test('a save returns the whole pattern, the scope and the category', (t) => {
  const memory = freshMemory(t)
  const long = `${PATTERN} ${'and so on '.repeat(60)}.`
  assert.deepEqual(
    [save(memory), save(memory, { pattern: long, scope: 'global', category: 'tool_usage' })].map((saved) => {
      return [saved.status, saved.message]
    }),
    [
      ['saved', `Saved to project memory [test_command]: ${PATTERN}`],
      ['saved', `Saved to global memory [tool_usage]: ${long}`],
    ],
  )
})

test('the same pattern in another case is a duplicate, named by its id, and changes no byte', (t) => {
  const memory = freshMemory(t)
  const { id } = save(memory, { confidence: 0.4 })
  const bytes = readFileSync(memory.patterns)
  for (const pattern of [PATTERN, PATTERN.toUpperCase(), PATTERN.toLowerCase()]) {
    assert.deepEqual(save(memory, { pattern, confidence: 0.9, tags: ['new'] }), {
      status: 'duplicate',
      id,
      message: 'Duplicate pattern already in project memory, skipped.',
      redactions: 0,
    })
  }
  assert.deepEqual(readFileSync(memory.patterns), bytes)
})

test('case folding is that of Unicode, however accents are composed', (t) => {
  const memory = freshMemory(t)
  for (const [first, second] of [
    ['Größe prüfen', 'GRÖSSE PRÜFEN'],
    ['Caf\u00e9 tests', 'CAFE\u0301 TESTS'],
    ['ΟΔΟΣ στο CI', 'οδος ΣΤΟ ci'],
    ['Проверь кэш', 'ПРОВЕРЬ КЭШ'],
    ['キャッシュを消す', 'キャッシュを消す'],
  ]) {
    assert.deepEqual([first, save(memory, { pattern: first }).status], [first, 'saved'])
    assert.deepEqual([second, save(memory, { pattern: second }).status], [second, 'duplicate'])
  }
})

test('white space and punctuation make another pattern', (t) => {
  const memory = freshMemory(t)
  const patterns = ['a b', 'a  b', ' a b', 'a b.', 'a-b', 'ab']
  assert.deepEqual(
    patterns.map((pattern) => save(memory, { pattern }).status),
    patterns.map(() => 'saved'),
  )
  assert.deepEqual(
    linesOf(memory.patterns).map(({ pattern }) => pattern),
    patterns,
  )
})

test('every category is accepted, and the same pattern in another category is another pattern', (t) => {
  const memory = freshMemory(t)
  assert.deepEqual(
    CATEGORIES.map((category) => save(memory, { category }).status),
    CATEGORIES.map(() => 'saved'),
  )
  assert.deepEqual(
    linesOf(memory.patterns).map(({ category }) => category),
    CATEGORIES,
  )
})

test('project and global memory are independent, and global memory is shared by all projects', (t) => {
  const memory = freshMemory(t)
  const other = { options: { projectDir: memory.folder } }
  assert.deepEqual(
    [save(memory), save(memory, { scope: 'global' }), save(other, { scope: 'global' }), save(other)].map(
      ({ status, message }) => [status, message.split(' memory')[0]],
    ),
    [
      ['saved', 'Saved to project'],
      ['saved', 'Saved to global'],
      ['duplicate', 'Duplicate pattern already in global'],
      ['saved', 'Saved to project'],
    ],
  )
  assert.deepEqual([linesOf(memory.patterns).length, linesOf(memory.globalPatterns).length], [1, 1])
})

test('a save into the global memory creates nothing in the project', (t) => {
  const memory = freshMemory(t)
  save(memory, { scope: 'global' })
  assert.deepEqual(filesUnder(memory.project), [])
})

test('the confidence is 0.7 when none is given, and 0 and 1 are kept', (t) => {
  const memory = freshMemory(t)
  const given = [undefined, null, 0, 1, 0.05]
  for (const [at, confidence] of given.entries()) save(memory, { pattern: `number ${at}`, confidence })
  assert.deepEqual(
    linesOf(memory.patterns).map(({ confidence }) => confidence),
    [0.7, 0.7, 0, 1, 0.05],
  )
})

test('a pattern may have 1,024 bytes of UTF-8 and no more', (t) => {
  const memory = freshMemory(t)
  for (const fits of ['x'.repeat(1024), 'é'.repeat(512), `${'語'.repeat(341)}a`]) {
    assert.equal(save(memory, { pattern: fits }).status, 'saved')
  }
  const bytes = readFileSync(memory.patterns)
  for (const pattern of [
    'x'.repeat(1025),
    `${'é'.repeat(512)}a`,
    '語'.repeat(342),
    'x'.repeat(6000),
    'y'.repeat(300_000),
  ]) {
    assert.throws(() => save(memory, { pattern }), {
      code: 'INVALID_INPUT',
      message: /^pattern: has \d+ bytes of UTF-8/,
    })
  }
  assert.deepEqual(readFileSync(memory.patterns), bytes)
})

test('line ends, quotes and every other character survive a round trip in one line of the file', (t) => {
  const memory = freshMemory(t)
  const patterns = [
    'first line\nsecond line\r\nthird\ttab',
    'he said "no" \\ and \'yes\' `maybe`',
    'line\u2028separator and paragraph\u2029separator',
    'emoji 👩‍👩‍👧 flag 🇪🇺 tone 👍🏽',
    'control \u0001 \u001b[31m \u007f bell \u0007',
    '日本語のメモ и русский ومذكرة',
    '{"id":"mem_x","pattern":"not a record"}',
    '  kept   spaces  ',
  ]
  for (const pattern of patterns) assert.equal(save(memory, { pattern }).status, 'saved')
  const lines = physicalLines(memory.patterns)
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).pattern),
    patterns,
  )
  const { entries } = listMemories({ ...memory.options, limit: 100 })
  assert.deepEqual(entries.map(({ text }) => text).sort(), [...patterns].sort())
  for (const pattern of patterns) assert.equal(save(memory, { pattern }).status, 'duplicate')
})

test('the file is text that grep and git can work with: its words are in it, and n saves add n lines', (t) => {
  const memory = freshMemory(t)
  save(memory)
  const before = readFileSync(memory.patterns, 'utf8')
  for (const pattern of ['Umlaute: Größe', '日本語のメモ', 'path/to/file.ts <T>&']) save(memory, { pattern })
  const after = readFileSync(memory.patterns, 'utf8')
  assert.ok(after.startsWith(before))
  assert.equal(after.slice(before.length).split('\n').length, 3 + 1)
  for (const words of ['Größe', '日本語のメモ', 'path/to/file.ts <T>&']) assert.ok(after.includes(words), words)
})

test('a torn tail is not glued to the next pattern', (t) => {
  const memory = freshMemory(t)
  save(memory)
  const whole = readFileSync(memory.patterns, 'utf8')
  const torn = whole.slice(0, 60)
  writeFileSync(memory.patterns, whole + torn)
  const { status } = save(memory, { pattern: 'behind the torn one' })
  assert.equal(status, 'saved')
  const lines = physicalLines(memory.patterns)
  assert.deepEqual([lines.length, `${lines[0]}\n`, lines[1]], [3, whole, torn])
  for (const query of ['vitest', 'behind']) assert.equal(recall(query, memory.options).hits.length, 1)
})

test('records of the older tool are known, and duplicates of them are detected', (t) => {
  const memory = freshMemory(t)
  mkdirSync(dirname(memory.patterns), { recursive: true })
  const old = { id: 'mem_1763632000000_a1b2', timestamp: '2026-11-20T10:00:00.000Z', pattern: PATTERN }
  const text = `${JSON.stringify({ ...old, category: 'test_command', confidence: 0.9 })}\n`
  writeFileSync(memory.patterns, text)
  assert.deepEqual([save(memory).status, save(memory).id], ['duplicate', old.id])
  assert.equal(save(memory, { category: 'convention' }).status, 'saved')
  assert.ok(readFileSync(memory.patterns, 'utf8').startsWith(text))
})

test('secrets are redacted before anything is stored', (t) => {
  const memory = freshMemory(t)
  const secret = ['gh', 'p_', 'R7xk2mQ9vT4bW8nZ3cY6hJ1dF5gL0sPaEiUo'].join('')
  const saved = save(memory, { pattern: `push with ${secret} as the token`, tags: ['ci', secret] })
  assert.equal(saved.redactions, 2)
  assert.ok(!saved.message.includes(secret), saved.message)
  const stored = filesUnder(memory.folder).filter((name) =>
    readFileSync(`${memory.folder}/${name}`, 'latin1').includes(secret),
  )
  assert.deepEqual(stored, [])
})

test('a forgotten pattern can be saved again', (t) => {
  const memory = freshMemory(t)
  const first = save(memory)
  forget(first.id, memory.options)
  const second = save(memory)
  assert.equal(second.status, 'saved')
  assert.deepEqual(
    recall('vitest', memory.options).hits.map(({ id }) => id),
    [second.id],
  )
})
