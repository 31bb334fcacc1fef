import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, drainOpenBrain, searchThoughts } from '../dist/index.js'
import { EmbeddedStore } from '../dist/openbrain/embedded/store.js'
import { ollamaEmbedder } from '../dist/openbrain/embedder/ollama.js'
import { conforms, goesByMeaning } from './support/conformance.mjs'
import { startEmbedder } from './support/embedder-server.mjs'
import { freshMemory } from './support/memory.mjs'
import { freshFolder } from './support/project.mjs'
import { asking, kinds, storing, thought } from './support/thoughts.mjs'

/** Opens stores on one new file; all are closed with the test. */
function opened(t, embedder) {
  const path = join(freshFolder(t), 'openbrain.db')
  const open = async (other = embedder) => {
    const store = new EmbeddedStore(other ?? undefined, path)
    t.after(() => store.close())
    return store
  }
  return open().then((store) => ({ path, store, again: open }))
}

async function embedderFor(t, options) {
  const embedder = await startEmbedder(options)
  t.after(() => embedder.close())
  return embedder
}

conforms('embedded', (t) => opened(t))

conforms('embedded with an embedder', async (t) => opened(t, ollamaEmbedder((await embedderFor(t)).url, 'test')))

goesByMeaning('embedded', opened)

test('reading a store that does not exist creates no file', async (t) => {
  const { path, store } = await opened(t)
  assert.equal((await store.handshake()).dialect, 'embedded')
  assert.deepEqual(await store.search(asking('anything')), { thoughts: [], semantic: false })
  assert.equal(await store.count(), 0)
  assert.equal(existsSync(path), false)
  await store.put(storing(thought('the first note')))
  assert.equal((await store.search(asking('first'))).thoughts.length, 1)
})

/** The open files of this process that belong to a database. */
function openFiles(path) {
  return readdirSync('/proc/self/fd').filter((number) => {
    try {
      return readlinkSync(`/proc/self/fd/${number}`) === path
    } catch {
      // The one that reads this folder.
      return false
    }
  })
}

test('the searches of a process share one open store', async (t) => {
  if (process.platform !== 'linux') return t.diagnostic('other systems do not list open files')
  const memory = freshMemory(t)
  captureMemory({ type: 'lesson', body: 'the gate is red' }, memory.options)
  await drainOpenBrain(memory.options)
  const path = join(memory.home, 'openbrain.db')
  assert.deepEqual(openFiles(path), [], 'the drain has closed its own')
  const search = async (text) => (await searchThoughts(text, memory.options)).thoughts.length
  assert.equal(await search('gate'), 1)
  const files = openFiles(path)
  assert.ok(files.length > 0)
  const found = await Promise.all(Array.from({ length: 10 }, (_, at) => search(`gate ${at}`)))
  assert.deepEqual(new Set(found), new Set([1]))
  assert.deepEqual(openFiles(path), files)
})

test('a file that is not a database is reported and left unchanged', async (t) => {
  const path = join(freshFolder(t), 'openbrain.db')
  const bytes = 'this is no database '.repeat(500)
  writeFileSync(path, bytes)
  const store = new EmbeddedStore(undefined, path)
  t.after(() => store.close())
  await assert.rejects(store.handshake(), { kind: 'misconfigured' })
  assert.deepEqual(kinds(await store.put(storing(thought('x')))), ['misconfigured'])
  assert.equal(readFileSync(path, 'utf8'), bytes)
})
