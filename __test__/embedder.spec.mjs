import assert from 'node:assert/strict'
import test from 'node:test'
import { openEmbedder } from '../dist/openbrain/embedder/index.js'
import { ollamaEmbedder } from '../dist/openbrain/embedder/ollama.js'
import { openaiEmbedder } from '../dist/openbrain/embedder/openai.js'
import { startEmbedder } from './support/embedder-server.mjs'

async function served(t, options) {
  const server = await startEmbedder(options)
  t.after(() => server.close())
  return server
}

const close = (a, b) => a.every((value, at) => Math.abs(value - b[at]) < 1e-6)

test('both kinds of server give the same vectors, of unit length and in the order of the texts', async (t) => {
  const server = await served(t, { key: 'secret-key' })
  server.state.dimensions = 24
  const texts = Array.from({ length: 100 }, (_, at) => `text number ${at}`)
  const openai = await openaiEmbedder(`${server.url}/v1`, 'test', 'secret-key').embed(texts)
  const plain = await served(t, { dimensions: 24 })
  const ollama = await ollamaEmbedder(plain.url, 'test').embed(texts)
  assert.deepEqual([openai.length, ollama.length, openai[0].length], [100, 100, 24])
  for (const [at, vector] of openai.entries()) {
    assert.ok(vector instanceof Float32Array && Math.abs(Math.hypot(...vector) - 1) < 1e-6)
    assert.ok(close(vector, ollama[at]), `text ${at}`)
  }
})

test('the model name contains the kind, and the dimension is requested once', async (t) => {
  const server = await served(t, { dimensions: 7 })
  const embedder = ollamaEmbedder(server.url, 'some-model')
  assert.deepEqual(
    [embedder.model, await embedder.dimensions(), await embedder.dimensions()],
    ['ollama:some-model', 7, 7],
  )
  assert.equal(server.state.texts, 1)
})

test('a wrong answer of an embedder is a clear state, and its key does not leak', async (t) => {
  const server = await served(t, { key: 'secret-key' })
  const wrongKey = openaiEmbedder(`${server.url}/v1`, 'test', 'secret-wrong')
  const error = await wrongKey.embed(['x']).catch((failure) => failure)
  assert.deepEqual(
    [error.kind, /refuses the key/.test(error.message), /secret/.test(error.message)],
    ['misconfigured', true, false],
  )

  const plain = await served(t)
  await assert.rejects(ollamaEmbedder(plain.url, 'absent').embed(['x']), {
    kind: 'misconfigured',
    message: /model "absent" not found, try pulling it first/,
  })
  const embedder = ollamaEmbedder(plain.url, 'test')
  const answers = [
    [
      {
        status: 200,
        body: {
          embeddings: [
            [1, 2],
            [3, 4],
          ],
        },
      },
      'busy',
      /one vector for each text/,
    ],
    [{ status: 200, body: { embeddings: [[0, 0]] } }, 'busy', /zero vector/],
    [{ status: 200, body: { embeddings: ['x'] } }, 'busy', /not a vector/],
    [{ status: 200, body: 'prose' }, 'busy', /one vector for each text/],
    [{ status: 503, body: {} }, 'busy', /busy/],
  ]
  for (const [fault, kind, message] of answers) {
    plain.state.fault = fault
    await assert.rejects(embedder.embed(['x']), { kind, message })
  }
  plain.state.fault = undefined
  await embedder.embed(['x'])
  plain.state.dimensions = 9
  await assert.rejects(embedder.embed(['x']), {
    kind: 'misconfigured',
    message: /changed from vectors of 64 to 9 dimensions/,
  })
})

test('an invalid address, or one with a secret in it, is refused before anything is sent', async () => {
  const wrong = [
    [undefined, /embedder\.url is missing/],
    ['nonsense', /not a valid URL/],
    ['ftp://host/v1', /not an http or https URL/],
    ['https://user:secret@host/v1', /contains a user, a password or a query/],
    ['http://embedder.example/v1', /would travel unencrypted/],
  ]
  for (const [url, message] of wrong) {
    assert.throws(() => openaiEmbedder(url, 'm', 'key'), { kind: 'misconfigured', message })
  }
  assert.equal(await openEmbedder({ kind: 'none' }), undefined)
})
