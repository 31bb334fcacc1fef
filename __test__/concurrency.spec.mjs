import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { buildCaptureTelemetry, captureMemory, listMemories, memorySave, recall, showMemory } from '../index.js'
import { freshMemory, physicalLines, sentenceOf, wordOf } from './support/memory.mjs'
import { runTogether, startChild } from './support/processes.mjs'

const COUNT = 1000
const SHARED = { prefix: 'shared' }

/** Starts the processes of one test; `inputOf` says what each of them saves. */
function savers(t, memory, processes, inputOf) {
  return Array.from({ length: processes }, (_, number) => startChild(t, 'saves', memory, inputOf(number)))
}

const sum = (results, name) => results.reduce((total, result) => total + result[name], 0)

/** Parses every line; a torn one makes this fail. */
function patternsOf(memory) {
  const lines = physicalLines(memory.patterns)
  // Before a line that another process may have been writing, an empty one is allowed.
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}

function assertSavedOnce(memory, results) {
  const patterns = patternsOf(memory)
  const keys = new Set(patterns.map(({ pattern, category }) => `${category} ${pattern.toLowerCase()}`))
  assert.deepEqual([patterns.length, keys.size, sum(results, 'saved')], [COUNT, COUNT, COUNT])
  assert.equal(sum(results, 'duplicate'), (results.length - 1) * COUNT)
  // Every returned id, also of a duplicate, is in the file.
  const ids = new Set(patterns.map(({ id }) => id))
  assert.deepEqual([...new Set(results.flatMap((result) => result.ids))].sort(), [...ids].sort())
}

test('32 processes that save one set of 1,000 patterns in mixed case save each pattern once', async (t) => {
  const memory = freshMemory(t)
  const children = savers(t, memory, 32, (seed) => ({ set: SHARED, count: COUNT, from: seed * 31, seed }))
  assertSavedOnce(memory, (await runTogether(children)).flat())
})

test('8 threads in each of 4 processes that save one set save each pattern once', async (t) => {
  const memory = freshMemory(t)
  const children = savers(t, memory, 4, (number) => ({
    set: SHARED,
    count: COUNT,
    threads: Array.from({ length: 8 }, (_, thread) => ({ from: thread * 125, seed: number * 8 + thread })),
  }))
  assertSavedOnce(memory, (await runTogether(children)).flat())
})

function assertAllSaved(memory, results, expected) {
  const patterns = patternsOf(memory)
  assert.equal(sum(results, 'saved'), expected)
  assert.equal(patterns.length, expected)
  assert.equal(new Set(patterns.map(({ id }) => id)).size, expected)
  assert.equal(new Set(patterns.map(({ pattern }) => pattern.toLowerCase())).size, expected)
}

test('32 processes that save 1,000 different patterns each store every pattern exactly once', async (t) => {
  const memory = freshMemory(t)
  const children = savers(t, memory, 32, (seed) => ({ set: { prefix: `p${seed}` }, count: COUNT, from: 0, seed }))
  const results = (await runTogether(children)).flat()
  assertAllSaved(memory, results, 32 * COUNT)
  assert.equal(recall('lesson', { ...memory.options, limit: 1 }).searched, 32 * COUNT)
})

test('patterns of up to 1 KiB from many processes do not interleave', async (t) => {
  const memory = freshMemory(t)
  const children = savers(t, memory, 16, (seed) => ({
    set: { prefix: `wide${seed}`, padding: 900 },
    count: 100,
    from: 0,
    seed,
  }))
  assertAllSaved(memory, (await runTogether(children)).flat(), 16 * 100)
})

const FILLER = ['please', 'note', 'that']

/** Texts that are the same, nearly the same, contradictions and rewordings of each other, in an order of their own. */
function similarCaptures(process) {
  const captures = []
  for (let step = 0; step < 300; step++) {
    const number = (step * 7 + process * 13) % 300
    const words = Array.from({ length: 22 }, (_, at) => `${wordOf((number % 30) * 100 + at)}`)
    const variant = (number + process) % 5
    if (variant === 1) words.splice(3 + process, 0, ...FILLER)
    if (variant === 2) words.splice(5, 0, 'never')
    if (variant === 3) words.push(...words.splice(0, 4 + process))
    if (variant === 4) words.splice(0, 5, ...words.slice(0, 5).map((word) => `${word}z`))
    captures.push({ type: number % 3 === 0 ? 'gotcha' : 'lesson', body: words.join(' '), tool: 'forge_sweep' })
  }
  return captures
}

/** What a text says, whatever filler it has and whatever its order is. */
const contentOf = ({ content }) =>
  content
    .split(' ')
    .filter((word) => !FILLER.includes(word))
    .sort()
    .join(' ')

test('8 processes that capture near duplicates of each other store no two records of one kind that say the same', async (t) => {
  const memory = freshMemory(t)
  const inputs = Array.from({ length: 8 }, (_, process) => similarCaptures(process))
  const children = inputs.map((captures) => startChild(t, 'captures', memory, { captures }))
  const outcomes = (await runTogether(children)).flat()
  const lines = physicalLines(memory.raw).map((line) => JSON.parse(line))
  const stored = lines.filter((line) => line._action === undefined)
  const confirmed = lines.filter((line) => line._action === 'confirm')
  const ids = new Set(stored.map(({ id }) => id))
  assert.equal(stored.length, outcomes.filter(({ captured }) => captured).length)
  assert.equal(confirmed.length, outcomes.filter(({ deduped }) => deduped).length)
  assert.equal(stored.length + confirmed.length, 8 * 300)
  assert.deepEqual(
    outcomes.filter(({ id, duplicateOf }) => !ids.has(id) || (duplicateOf !== undefined && !ids.has(duplicateOf))),
    [],
  )
  const isNegated = ({ content }) => content.includes('never')
  const said = stored.map((line) => `${line.type} ${contentOf(line)}`)
  assert.equal(new Set(said).size, said.length)
  // Contradictions and far rewordings are there, so that the number above says something.
  assert.ok(stored.some(isNegated) && stored.length > 60 && stored.length < 400, String(stored.length))
})

test('a concurrent reader never sees a partial entry, an error, or fewer entries than before', async (t) => {
  const memory = freshMemory(t)
  const reader = startChild(t, 'reader', memory, { pattern: '^(p\\d lesson \\d+ x*|P\\d LESSON \\d+ X*)$' })
  const writers = savers(t, memory, 4, (seed) => ({
    set: { prefix: `p${seed}`, padding: 700 },
    count: 500,
    from: 0,
    seed,
  }))
  await reader.ready()
  const outcome = reader.result()
  reader.go()
  await reader.said('read')
  await runTogether(writers)
  reader.tell({ stop: true })
  const { wrong, sizes, reads } = await outcome
  assert.deepEqual(wrong, [])
  assert.equal(sizes.at(-1), 4 * 500)
  assert.ok(reads > 2 && sizes.length > 2, `${reads} reads, ${sizes.length} sizes`)
})

test('programs that append to the same file without a lock lose no line and split none', async (t) => {
  const memory = freshMemory(t)
  const foreign = ['a', 'b'].map((prefix) =>
    startChild(t, 'appender', memory, { path: memory.patterns, count: 500, bytes: 6000, prefix }),
  )
  const ours = savers(t, memory, 4, (seed) => ({ set: SHARED, count: 500, from: seed * 125, seed }))
  const results = (await runTogether([...foreign, ...ours])).slice(foreign.length).flat()
  const patterns = patternsOf(memory)
  const own = patterns.filter(({ category }) => category === 'convention')
  assert.deepEqual([own.length, patterns.length - own.length, sum(results, 'saved')], [500, 1000, 500])
  assert.equal(new Set(own.map(({ pattern }) => pattern.toLowerCase())).size, 500)
  const { total } = listMemories({ ...memory.options, limit: 1 })
  assert.equal(total, 1500)
  const { hits } = recall('foreign 499', { ...memory.options, types: ['architecture'], limit: 2 })
  assert.deepEqual(hits.map(({ id }) => id).sort(), ['mem_1763632000000_a499', 'mem_1763632000000_b499'])
})

test('captures of up to 64 KiB from many processes do not interleave', async (t) => {
  const memory = freshMemory(t)
  const bodyOf = (process, at) =>
    `${wordOf(process * 1000 + at)}${process} `.repeat(600 + ((at * 2503) % 3400)).slice(0, 65_536)
  const children = Array.from({ length: 6 }, (_, process) => {
    const captures = Array.from({ length: 20 }, (_, at) => ({ type: 'lesson', body: bodyOf(process, at) }))
    return startChild(t, 'captures', memory, { captures })
  })
  const outcomes = (await runTogether(children)).flat()
  const expected = new Map(outcomes.map(({ id }, at) => [id, bodyOf(Math.floor(at / 20), at % 20)]))
  assert.equal(expected.size, 6 * 20)
  for (const path of [memory.raw, memory.forge('lessons.jsonl'), memory.forge('openbrain-queue.jsonl')]) {
    const lines = physicalLines(path).map((line) => JSON.parse(line))
    assert.equal(lines.length, expected.size)
    for (const { id, content } of lines) assert.ok(content === expected.get(id), `${path}: ${id}`)
  }
})

test('processes that rotate the same files give unique sequence numbers and complete totals', async (t) => {
  const memory = freshMemory(t)
  const limits = { eventsBytes: 8192, telemetryBytes: 4096 }
  writeFileSync(join(memory.project, '.forge.json'), JSON.stringify({ limits }))
  const children = Array.from({ length: 6 }, (_, process) => {
    const captures = Array.from({ length: 100 }, (_, at) => {
      return { type: 'lesson', body: sentenceOf(process * 1000 + at - (at % 2)), tool: `tool_${process}` }
    })
    return startChild(t, 'captures', memory, { captures })
  })
  await runTogether(children)
  const numbers = ['hub-events.1.jsonl', 'hub-events.jsonl'].flatMap((name) => {
    return physicalLines(memory.forge(name)).map((line) => JSON.parse(line).seq)
  })
  assert.deepEqual(
    numbers,
    numbers.map((_, at) => 600 - numbers.length + 1 + at),
  )
  assert.ok(numbers.length >= 8, String(numbers.length))
  const byTool = Object.fromEntries(children.map((_, process) => [`tool_${process}`, 100]))
  assert.deepEqual(buildCaptureTelemetry(memory.options), { total: 600, deduped: 300, byTool, byType: { lesson: 600 } })
})

test('concurrent edits of a record give one chain of revisions, of which the last is recalled', async (t) => {
  const memory = freshMemory(t)
  const thought = captureMemory({ type: 'lesson', body: 'the first words' }, memory.options)
  const pattern = memorySave({ pattern: 'the first words', category: 'convention' }, memory.options)
  for (const { id } of [thought, pattern]) {
    const children = ['a', 'b', 'c', 'd'].map((name) => startChild(t, 'edits', memory, { id, name, count: 25 }))
    const edits = (await runTogether(children)).flat()
    const followed = new Set(edits.map(({ supersedes }) => supersedes))
    assert.equal(followed.size, edits.length, 'two edits of the same revision')
    const { revisions, entry } = showMemory(id, memory.options)
    assert.equal(revisions.length, 1 + edits.length)
    const scope = { ...memory.options, types: [entry.type] }
    assert.deepEqual(
      recall('edited', scope).hits.map((hit) => hit.id),
      [revisions.at(-1).id],
    )
  }
})
