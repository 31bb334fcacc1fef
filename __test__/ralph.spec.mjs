import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { ralphAdd, ralphClear, ralphList, ralphQuery } from '../index.js'
import { freshMemory, treeOf } from './support/memory.mjs'

const LESSONS = [
  ['mem_a1b2c3', 'abc123', 2, '2026-04-01T10:42:00Z', 'failure_pattern', 'Auth mocks go to beforeEach', 0.9],
  ['mem_c3d4e5', 'abc123', 3, '2026-04-01T10:41:00Z', 'lesson_learned', 'Use jest.resetAllMocks() in afterEach', 0.8],
  ['mem_e5f6g7', 'def456', 5, '2026-03-28T12:00:00Z', 'success_pattern', 'ESM imports need an extension', 0.6],
].map(([id, loopId, iteration, createdAt, type, lesson, confidence]) => ({
  id,
  loopId,
  iteration,
  createdAt,
  type,
  lesson,
  context: 'src/x.ts',
  tags: ['jest'],
  confidence,
}))

function withStore(t, text = JSON.stringify(LESSONS)) {
  const memory = freshMemory(t)
  const store = join(memory.project, '.aiwg', 'ralph', 'memory.json')
  mkdirSync(dirname(store), { recursive: true })
  writeFileSync(store, text)
  return { ...memory, store }
}

test('ralphList returns the entries of the store, newest first', (t) => {
  const { options } = withStore(t)
  assert.deepEqual(ralphList(options), { entries: LESSONS, missing: false, warnings: [] })
  const { entries } = ralphList({ ...options, loopId: 'abc123' })
  assert.deepEqual(entries, LESSONS.slice(0, 2))
  assert.deepEqual(ralphList({ ...options, since: '2026-04-01T10:42:00Z' }).entries, LESSONS.slice(0, 1))
})

test('ralphList of a project without stores is empty and says so', (t) => {
  const { options } = freshMemory(t)
  assert.deepEqual(ralphList(options), { entries: [], missing: true, warnings: [] })
})

test('ralphQuery ranks, counts and scores', (t) => {
  const { options } = withStore(t)
  const { query, entries, total } = ralphQuery('mocks', options)
  assert.deepEqual([query, total, entries.map(({ id }) => id)], ['mocks', 2, ['mem_a1b2c3', 'mem_c3d4e5']])
  assert.ok(entries.every(({ score }) => score === 1))
  assert.equal(ralphQuery('mocks', { ...options, limit: 1 }).entries.length, 1)
})

test('the calendar days of the entries are returned on request', (t) => {
  const { options } = withStore(t)
  const days = (more) => ralphList({ ...options, ...more }).entries.map((entry) => entry.day)
  assert.deepEqual([...new Set(days({}))], [undefined])
  const moments = ralphList(options).entries.map((entry) => entry.createdAt.slice(0, 10))
  assert.deepEqual(days({ days: true }), moments)
  const { entries } = ralphQuery('jest', { ...options, days: true })
  for (const { day, createdAt } of entries) assert.equal(day, createdAt.slice(0, 10))
})

test('ralphClear deletes what a dry run counted and nothing added later', (t) => {
  const { options, store } = withStore(t)
  const before = readFileSync(store, 'utf8')
  const question = ralphClear({ ...options, loopId: 'abc123', dryRun: true })
  assert.deepEqual(question.loops, [{ loopId: 'abc123', entries: 2, date: '2026-04-01' }])
  assert.deepEqual([question.counted, question.deleted, question.remaining], [2, 0, 1])
  assert.equal(readFileSync(store, 'utf8'), before)
  const { id } = ralphAdd({ lesson: 'Something else entirely', loopId: 'abc123' }, options)
  const outcome = ralphClear({ ...options, loopId: 'abc123', only: question.keys })
  assert.deepEqual([outcome.deleted, outcome.arrived, outcome.remaining], [2, 1, 2])
  assert.deepEqual(
    ralphList(options).entries.map((entry) => entry.id),
    [id, 'mem_e5f6g7'],
  )
})

test('ralphAdd stores an entry once, with an id of the documented form', (t) => {
  const { options, project } = freshMemory(t)
  const entry = {
    lesson: 'Keep it short',
    type: 'success_pattern',
    loopId: 'l',
    iteration: 1,
    tags: ['x'],
    confidence: 1,
  }
  const outcome = ralphAdd(entry, options)
  assert.match(outcome.id, /^mem_[0-9a-z]{6}$/)
  assert.deepEqual([outcome.added, outcome.deduped, outcome.store], [true, false, '.aiwg/ralph/memory.json'])
  const [stored, ...rest] = JSON.parse(readFileSync(join(project, '.aiwg/ralph/memory.json'), 'utf8'))
  assert.deepEqual([stored, rest], [{ ...entry, id: outcome.id, createdAt: stored.createdAt }, []])
  const again = ralphAdd({ ...entry, lesson: 'KEEP IT SHORT', loopId: 'other' }, options)
  assert.deepEqual([again.added, again.duplicateOf, again.similarity], [false, outcome.id, 1])
})

test('entries become captures when .forge.json says so', (t) => {
  const { options, project, raw } = freshMemory(t)
  writeFileSync(join(project, '.forge.json'), '{"ralph":{"capture":true}}')
  const { capture, captureError } = ralphAdd({ lesson: 'Pin the clock', type: 'failure_pattern' }, options)
  assert.equal(captureError, undefined)
  assert.deepEqual([capture.captured, capture.thought.type], [true, 'gotcha'])
  const line = JSON.parse(readFileSync(raw, 'utf8'))
  assert.deepEqual([line.content, line.source], ['Pin the clock', 'ralph/memory'])
})

const refused = [
  ['a bad age', () => ({ since: '7x' }), 'INVALID_INPUT'],
  ['a negative age', () => ({ since: '-1d' }), 'INVALID_INPUT'],
  ['a month that does not exist', () => ({ since: '2026-13-01' }), 'INVALID_INPUT'],
  ['an empty date', () => ({ since: '' }), 'INVALID_INPUT'],
  ['a store that does not exist', () => ({ store: '../x' }), 'INVALID_INPUT'],
  ['a loop id that is no text', () => ({ loopId: 7 }), 'INVALID_INPUT'],
  ['an unknown loop', () => ({ loopId: 'nobody' }), 'NOT_FOUND'],
]
for (const [what, more, code] of refused) {
  test(`${what} is refused with ${code} and the store is unchanged`, (t) => {
    const { options, project } = withStore(t)
    const before = treeOf(project)
    const given = { ...options, ...more() }
    assert.throws(() => ralphList(given), { code })
    assert.throws(() => ralphQuery('mocks', given), { code })
    if (!('since' in given)) assert.throws(() => ralphClear(given), { code })
    assert.deepEqual(treeOf(project), before)
  })
}

test('wrong arguments of every function name the argument', (t) => {
  const { options, project } = withStore(t)
  const before = treeOf(project)
  const calls = [
    [() => ralphQuery(undefined, options), /^query: /],
    [() => ralphQuery('', options), /^query: /],
    [() => ralphQuery('x', { ...options, limit: 0 }), /^limit: /],
    [() => ralphAdd(undefined, options), /^entry: /],
    [() => ralphAdd({}, options), /^lesson: /],
    [() => ralphAdd({ lesson: 'x', type: 'lesson' }, options), /^type: /],
    [() => ralphAdd({ lesson: 'x', iteration: 1.5 }, options), /^iteration: /],
    [() => ralphAdd({ lesson: 'x', confidence: Number.NaN }, options), /^confidence: /],
    [() => ralphAdd({ lesson: 'x\ud800' }, options), /^lesson: /],
    [() => ralphClear({ ...options, only: 'all' }), /^only: /],
    [() => ralphClear({ ...options, dryRun: 'yes' }), /^dryRun: /],
    [() => ralphList({ ...options, days: 'yes' }), /^days: /],
  ]
  for (const [call, message] of calls) assert.throws(call, { code: 'INVALID_INPUT', message })
  assert.deepEqual(treeOf(project), before)
})

test('no call overwrites a store that cannot be read', (t) => {
  for (const text of ['', '{', '[1,']) {
    const { options, store } = withStore(t, text)
    for (const call of [
      () => ralphList(options),
      () => ralphQuery('x', options),
      () => ralphClear(options),
      () => ralphAdd({ lesson: 'x' }, options),
    ]) {
      assert.throws(call, { code: 'CORRUPT' })
    }
    assert.equal(readFileSync(store, 'utf8'), text)
  }
  const { options, store } = withStore(t, '[]')
  truncateSync(store, 2 ** 30)
  assert.throws(() => ralphList(options), { code: 'UNSUPPORTED' })
  assert.throws(() => ralphAdd({ lesson: 'x' }, options), { code: 'UNSUPPORTED' })
})
