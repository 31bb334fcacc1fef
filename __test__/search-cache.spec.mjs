import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import test from 'node:test'
import { buildMemoryReport, captureMemory, editMemory, forget } from '../dist/index.js'
import { throughCache } from '../dist/openbrain/client/cache.js'
import { cacheKeyOf } from '../dist/openbrain/client/cache-key.js'
import { freshMemory } from './support/memory.mjs'
import { until } from './support/waiting.mjs'

/** A search whose answers are counted: what is answered is real, what is asked is known. */
function counted(memory, more = {}) {
  const asked = { count: 0 }
  const search = { projectDir: memory.project, query: 'alpha', limit: 5, place: 'store 1', ...more }
  const ask = async () => {
    asked.count += 1
    return { thoughts: [{ id: `mem_${asked.count}` }], backend: 'embedded', semantic: false }
  }
  return { asked, run: (changes = {}) => throughCache({ ...search, ...changes }, ask) }
}

test('the same search is asked once, and the answer is the same', async (t) => {
  const memory = freshMemory(t)
  captureMemory({ type: 'lesson', body: 'there before' }, memory.options)
  const { asked, run } = counted(memory)
  const first = await run()
  assert.deepEqual(first, { thoughts: [{ id: 'mem_1' }], backend: 'embedded', semantic: false })
  assert.deepEqual(await run(), { ...first, cached: true })
  assert.deepEqual(await run({ query: '  alpha ' }), { ...first, cached: true })
  assert.equal(asked.count, 1)
  for (const changes of [{ query: 'beta' }, { limit: 6 }, { project: 'p' }, { type: 'lesson' }, { since: '7d' }]) {
    assert.equal((await run(changes)).cached, undefined, JSON.stringify(changes))
  }
  const { cache } = buildMemoryReport(memory.options)
  assert.deepEqual(cache, { totalEntries: 6, uniqueKeys: 6, freshEntries: 6 })
})

test('a capture, an edit and a tombstone that could change the answer end it', async (t) => {
  const memory = freshMemory(t)
  const { asked, run } = counted(memory)
  const lessons = () => run({ type: 'lesson', project: 'project' })
  const both = async () => [(await run()).cached === true, (await lessons()).cached === true]
  const { id } = captureMemory({ type: 'lesson', body: 'one' }, memory.options)
  await both()
  assert.deepEqual(await both(), [true, true])
  captureMemory({ type: 'lesson', body: 'one' }, memory.options)
  assert.deepEqual(await both(), [true, true], 'a confirmation is nothing new')
  captureMemory({ type: 'gotcha', body: 'of another type' }, memory.options)
  assert.deepEqual(await both(), [false, true])
  captureMemory({ type: 'lesson', body: 'of another project', project: 'other' }, memory.options)
  assert.deepEqual(await both(), [false, true])
  const edited = editMemory(id, { body: 'two things' }, memory.options)
  assert.deepEqual(await both(), [false, false])
  assert.deepEqual(await both(), [true, true])
  forget(edited.id, memory.options)
  assert.deepEqual(await both(), [false, false])
  assert.ok(asked.count > 4)
})

test('another state of the store and an age end an answer', async (t) => {
  const memory = freshMemory(t)
  const { run } = counted(memory)
  await run()
  assert.equal((await run({ place: 'store 2' })).cached, undefined)
  assert.equal((await run({ place: 'store 2' })).cached, true)
  await run({ query: 'short', ttlMs: 1 })
  const stored = Date.now()
  await until(() => Date.now() > stored + 1, 'another millisecond')
  assert.equal((await run({ query: 'short', ttlMs: 1 })).cached, undefined)
})

test('a damaged, missing or read-only cache only costs time', async (t) => {
  const memory = freshMemory(t)
  const { asked, run } = counted(memory)
  await run()
  const file = memory.forge('memory-search-cache.jsonl')
  appendFileSync(file, '{"key":\nno json\n')
  assert.equal((await run()).cached, true)
  writeFileSync(file, '\0\0\0')
  await run()
  rmSync(file)
  mkdirSync(file)
  assert.deepEqual([(await run()).cached, (await run()).cached], [undefined, undefined])
  assert.equal(asked.count, 4)
})

test('two stores never share a cached answer', (t) => {
  const { project: projectDir } = freshMemory(t)
  const postgres = (url, password = 'x') => ({ target: { backend: 'postgres', url: new URL(url), password } })
  const remote = (url, key) => ({ target: { backend: 'remote', url: new URL(url), key, isMcp: false } })
  const base = { projectDir, embedder: { kind: 'none' }, textOnly: false, insecure: false, timeoutMs: 1000 }
  const placeFor = (settings, said = { state: '1' }) => cacheKeyOf({ ...base, ...settings }, said).place
  const stores = [
    postgres('postgres://me@db.example/one'),
    postgres('postgres://me@db.example/two'),
    postgres('postgres://you@db.example/one'),
    postgres('postgres://me@db.example:5433/one'),
    postgres('postgres://me@other.example/one'),
    postgres('postgres://me@db.example/one?options=-csearch_path%3Dother'),
    { ...postgres('postgres://me@db.example/one'), embedder: { kind: 'ollama' } },
    { ...postgres('postgres://me@db.example/one'), embedder: { kind: 'ollama', model: 'large' } },
    { ...postgres('postgres://me@db.example/one'), embedder: { kind: 'ollama', url: 'http://127.0.0.1:9' } },
    remote('https://brain.example/', 'key-of-one'),
    remote('https://brain.example/', 'key-of-another'),
    remote('https://brain.example/'),
    remote('https://brain.example/other', 'key-of-one'),
    { target: { backend: 'embedded' } },
    { target: { backend: 'embedded', path: '/elsewhere/openbrain.db' } },
    { target: { backend: 'embedded' }, embedder: { kind: 'local' } },
  ]
  const places = stores.map((settings) => placeFor(settings))
  assert.equal(new Set(places).size, stores.length, places.join('\n'))
  assert.equal(placeFor(postgres('postgres://me@db.example/one', 'changed')), places[0])
  assert.notEqual(placeFor(postgres('postgres://me@db.example/one'), { state: '2' }), places[0])
  assert.notEqual(placeFor(postgres('postgres://me@db.example/one'), { state: '1', model: 'local' }), places[0])
  assert.doesNotMatch(places.join('\n'), /key-of|me@/)
})
