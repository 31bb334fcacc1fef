import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { EmbeddedStore } from '../dist/openbrain/embedded.js'
import { ollamaEmbedder } from '../dist/openbrain/embedder/ollama.js'
import { conforms } from './support/conformance.mjs'
import { startEmbedder } from './support/embedder-server.mjs'
import { freshFolder } from './support/project.mjs'
import { asking, deleting, kinds, storing, thought } from './support/thoughts.mjs'

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

test('two stores that get the same batch at once hold each thought once', async (t) => {
  const { store, again } = await opened(t)
  const other = await again()
  const batch = storing(...Array.from({ length: 100 }, (_, at) => thought(`note ${at}`)))
  const outcomes = await Promise.all([store.put(batch), other.put([...batch].reverse()), store.put(batch)])
  assert.deepEqual(new Set(kinds(outcomes.flat())), new Set(['delivered']))
  assert.equal(await store.count(), 100)
})

test('what is forgotten cannot come back into the file', async (t) => {
  const { store } = await opened(t)
  const one = thought('said in haste')
  await store.put(storing(one))
  await store.remove(deleting(one.id))
  assert.deepEqual(kinds(await store.put(storing(one))), ['delivered'])
  assert.deepEqual([await store.count(), (await store.search(asking('haste'))).thoughts], [0, []])
})

test('the file goes by meaning where there is an embedder, and says so', async (t) => {
  const embedder = await embedderFor(t)
  const { store, again } = await opened(t, ollamaEmbedder(embedder.url, 'test'))
  const wanted = thought('reset the password after three failures')
  await store.put(storing(wanted, thought('paint the shed green')))
  const answer = await store.search(asking('login'))
  assert.deepEqual([answer.semantic, answer.thoughts[0].id], [true, wanted.id])
  const lexical = await (await again(null)).search(asking('login'))
  assert.deepEqual(lexical, { thoughts: [], semantic: false })
})

test('another embedder fills the file in the background while search goes on', async (t) => {
  const [small, large] = [await embedderFor(t, { dimensions: 32 }), await embedderFor(t, { dimensions: 128 })]
  const { store, again } = await opened(t, ollamaEmbedder(small.url, 'small'))
  await store.put(storing(...Array.from({ length: 30 }, (_, at) => thought(`price list number ${at}`))))
  const changed = await again(ollamaEmbedder(large.url, 'large'))
  const seen = []
  for (let done = -1; done < 30; ) {
    const progress = await changed.embedMissing(8)
    seen.push(progress.done)
    done = progress.done
    assert.equal((await changed.search(asking('price list'))).thoughts.length, 10)
  }
  assert.deepEqual(seen, [8, 16, 24, 30])
  assert.equal((await changed.search(asking('money'))).semantic, true)
})

test('an embedder of another dimension under the same name is refused by the file', async (t) => {
  const [first, second] = [await embedderFor(t, { dimensions: 32 }), await embedderFor(t, { dimensions: 48 })]
  const { store, again } = await opened(t, ollamaEmbedder(first.url, 'test'))
  await store.put(storing(thought('a note')))
  const other = await again(ollamaEmbedder(second.url, 'test'))
  const message = /holds vectors of 32 numbers for ollama:test, but the embedder makes 48/
  await assert.rejects(other.handshake(), { kind: 'misconfigured', message })
})

test('a file that is no database is for a person to see to, and stays as it is', async (t) => {
  const { writeFileSync, readFileSync } = await import('node:fs')
  const path = join(freshFolder(t), 'openbrain.db')
  const bytes = 'this is no database '.repeat(500)
  writeFileSync(path, bytes)
  const store = new EmbeddedStore(undefined, path)
  t.after(() => store.close())
  await assert.rejects(store.handshake(), { kind: 'misconfigured' })
  assert.deepEqual(kinds(await store.put(storing(thought('x')))), ['misconfigured'])
  assert.equal(readFileSync(path, 'utf8'), bytes)
})
