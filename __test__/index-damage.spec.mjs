import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, listMemories, recall, settleIndex } from '../index.js'
import { CAPTURE_INDEX, copied, freshMemory, isWindows, reopened, sentenceOf, wordOf } from './support/memory.mjs'
import { readLines } from './support/project.mjs'

/** As many as make a segment worth while, and too few for one to be made in the background. */
const COUNT = 1000
const SAMPLE = [0, 1, 7, 500, 999, COUNT - 1]

/** A project whose captures are all in a segment on disk. */
function indexedMemory(t) {
  const memory = freshMemory(t)
  const lines = Array.from({ length: COUNT }, (_, number) => {
    const content = `${sentenceOf(number)} shared among ${number % 3 === 0 ? 'many' : 'most'} lessons`
    const captured_at = new Date(1_763_632_000_000 + number * 1000).toISOString()
    const type = number % 2 === 0 ? 'pattern' : 'convention'
    const about = { project: 'shop', type, source: 'forge_sweep', created_by: 'forge-memory', captured_at }
    return JSON.stringify({ _v: 1, id: `mem_${number}`, content, ...about, tags: [`t${number % 5}`], confidence: 0.7 })
  })
  mkdirSync(memory.forge())
  writeFileSync(memory.raw, `${lines.join('\n')}\n`)
  listMemories(memory.options)
  settleIndex(memory.options)
  memory.index = memory.forge(CAPTURE_INDEX)
  memory.segments = readdirSync(memory.index).filter((name) => name.endsWith('.seg'))
  assert.equal(memory.segments.length, 1)
  return memory
}

/** Everything that a reader of the memory can see of it. */
function answersOf(options) {
  const view = ({ id, score, text, matched }) => [id, score.toFixed(4), text, matched.join()].join(' ')
  const queries = ['shared many lessons', 'most', ...SAMPLE.map((number) => `${wordOf(number)}aw`)]
  return [
    ...queries.map((query) => recall(query, options).hits.map(view)),
    recall('lessons', { ...options, types: ['convention'], tags: ['t3'], limit: 50 }).hits.map(view),
    listMemories({ ...options, limit: 50 }).entries.map(view),
    [listMemories(options).total, recall('lessons', options).searched],
  ]
}

/** Damages a file of the index in many ways, each in a copy of the memory, and compares the answers. */
function assertSameAnswers(memory, name, damages) {
  const expected = answersOf(memory.options)
  const wrong = damages.filter(({ damage }) => {
    const copy = copied(memory)
    const path = join(copy.forge(CAPTURE_INDEX), name)
    writeFileSync(path, damage(readFileSync(path)))
    return JSON.stringify(answersOf(copy.options)) !== JSON.stringify(expected)
  })
  assert.deepEqual(
    wrong.map((damage) => damage.name),
    [],
  )
}

test('without its index a memory gives the same answers', (t) => {
  const memory = indexedMemory(t)
  const expected = answersOf(memory.options)
  const copy = copied(memory)
  assert.deepEqual(answersOf(copied(memory).options), expected)
  rmSync(copy.forge('index'), { recursive: true })
  assert.deepEqual(answersOf(copy.options), expected)
})

function doesNotMissIndex(t) {
  const memory = indexedMemory(t)
  const options = reopened(memory)
  const expected = answersOf(options)
  rmSync(memory.forge('index'), { recursive: true })
  assert.deepEqual(answersOf(options), expected)
  const { id } = captureMemory({ type: 'lesson', body: sentenceOf(COUNT) }, options)
  assert.deepEqual(
    recall(`${wordOf(COUNT)}aw`, options).hits.map((hit) => hit.id),
    [id],
  )
}

// Windows refuses to delete a mapped file.
if (!isWindows) test('a process that has the index open does not miss it when it is deleted', doesNotMissIndex)

test('segments that are cut off or too long change no answer', (t) => {
  const memory = indexedMemory(t)
  const { size } = statSync(join(memory.index, memory.segments[0]))
  const lengths = [0, 1, 39, 40, 359, 360, 4096, Math.floor(size / 2), size - 1]
  const damages = lengths.map((length) => ({ name: `cut to ${length}`, damage: (bytes) => bytes.subarray(0, length) }))
  damages.push({ name: 'too long', damage: (bytes) => Buffer.concat([bytes, Buffer.alloc(64, 7)]) })
  damages.push({ name: 'zeros', damage: (bytes) => bytes.fill(0) })
  assertSameAnswers(memory, memory.segments[0], damages)
})

test('a flipped bit in a segment changes no answer', (t) => {
  const memory = indexedMemory(t)
  const { size } = statSync(join(memory.index, memory.segments[0]))
  const damages = []
  for (let at = 0; at < size; at += at < 400 ? 16 : 2239) {
    const damage = (bytes) => {
      bytes[at] ^= 1 << (at % 8)
      return bytes
    }
    damages.push({ name: `bit ${at % 8} of byte ${at}`, damage })
  }
  assertSameAnswers(memory, memory.segments[0], damages)
})

test('a manifest that is damaged, or is about something else, changes no answer', (t) => {
  const memory = indexedMemory(t)
  const edited = (name, edit) => ({
    name,
    damage: (bytes) => {
      const manifest = JSON.parse(bytes)
      edit(manifest)
      return JSON.stringify(manifest)
    },
  })
  const damages = ['', '{', 'null', '[]', '{}', '42', '\u0000', '{"segments":[{}]}'].map((text) => ({
    name: `the text ${text}`,
    damage: () => text,
  }))
  damages.push(
    edited('another format', (manifest) => (manifest.format += 1)),
    edited('no segments', (manifest) => (manifest.segments = [])),
    edited('a segment that is not there', (manifest) => (manifest.segments[0].name = 'none.seg')),
    edited('a path out of the folder', (manifest) => (manifest.segments[0].name = '../../memory-captures.jsonl')),
    edited('a shorter range', (manifest) => (manifest.segments[0].end -= 100)),
    edited('a later start', (manifest) => (manifest.segments[0].start += 100)),
    edited('another hash of the journal', (manifest) => (manifest.segments[0].source_hash += 1)),
  )
  assertSameAnswers(memory, 'manifest.json', damages)
})

test('a duplicate is found even if the index is missing or damaged', (t) => {
  const memory = indexedMemory(t)
  const known = readLines(memory.raw).filter((_, at) => at % 100 === 0)
  const damages = [
    (bytes) => bytes.subarray(0, 5000),
    ...[0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95].map((share) => (bytes) => {
      bytes.fill(0xff, Math.floor(bytes.length * share), Math.floor(bytes.length * share) + 4096)
      return bytes
    }),
  ]
  damages.forEach((damage, number) => {
    const { options, forge } = copied(memory)
    const path = join(forge(CAPTURE_INDEX), memory.segments[0])
    writeFileSync(path, damage(readFileSync(path)))
    const missed = known.filter(({ id, content, type, project }) => {
      return captureMemory({ type, body: content, project }, options).duplicateOf !== id
    })
    assert.deepEqual([number, missed], [number, []])
  })
})

test('a journal that has changed since it was indexed is read and not the index', (t) => {
  const memory = indexedMemory(t)
  const { options, raw } = copied(memory)
  // A word becomes another of the same length: sizes and offsets stay what they were.
  writeFileSync(raw, readFileSync(raw, 'utf8').replace(`${wordOf(7)}aw`, `${wordOf(7)}kw`))
  // What is like it is offered in its place; the text itself is not there.
  const gone = `${wordOf(7)}aw`
  assert.ok(recall(gone, options).hits.every(({ text }) => !text.includes(gone)))
  assert.equal(recall(`${wordOf(7)}kw`, options).hits.length, 1)
})
