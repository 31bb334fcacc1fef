import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, drainOpenBrain, listDrains, openBrainStatus, trustForeignRecords } from '../dist/index.js'
import { serve } from '../dist/server/index.js'
import { startEmbedder } from './support/embedder-server.mjs'
import { freshMemory, sentenceOf } from './support/memory.mjs'
import { subscribe } from './support/subscriber.mjs'
import { approveStores } from './support/trust.mjs'
import { until } from './support/waiting.mjs'

async function freshServer(t, memory, options = {}) {
  const server = await serve({ port: 0, projectDir: memory.project, watch: false, ...options })
  t.after(() => server.close())
  const call = async (method, path, body) => {
    const response = await fetch(server.origin + path, {
      method,
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }
  return { server, call }
}

test('captures are delivered to the shared store automatically, and can be searched there', async (t) => {
  const memory = freshMemory(t)
  const { server, call } = await freshServer(t, memory)
  const subscriber = await subscribe(t, server.hub)
  await subscriber.live()
  await call('POST', '/api/memory/capture', { type: 'lesson', body: 'Vitest hangs in watch mode' })
  const flush = await subscriber.first('openbrain-flush')
  assert.deepEqual([flush.attempted, flush.delivered, flush.dlq], [1, 1, 0])
  const { body: status } = await call('GET', '/api/anvil/status')
  assert.deepEqual([status.available, status.backend, status.reachable, status.queued], [true, 'embedded', true, 0])
  assert.equal(status.lastDrain.delivered, 1)
  const search = async () => (await call('GET', '/api/memory/search?query=vitest')).body
  const first = await search()
  assert.deepEqual(
    [first.backend, first.thoughts.map(({ content }) => content)],
    ['embedded', ['Vitest hangs in watch mode']],
  )
  await search()
  const again = await search()
  assert.deepEqual([again.cached, again.thoughts], [true, first.thoughts])
  await call('POST', '/api/memory/capture', { type: 'lesson', body: 'Vitest runs once with --run' })
  await subscriber.until((events) => events.filter(({ type }) => type === 'openbrain-flush').length === 2)
  assert.equal((await search()).thoughts.length, 2, 'a capture ends the cached answer')
})

test('the status that the dashboard shows says how many thoughts have a vector', async (t) => {
  const memory = freshMemory(t)
  const embedder = await startEmbedder()
  t.after(() => embedder.close())
  captureMemory({ type: 'lesson', body: 'Vitest hangs in watch mode' }, memory.options)
  await drainOpenBrain(memory.options)
  const settings = { embedder: { kind: 'ollama', url: embedder.url, model: 'test' } }
  writeFileSync(join(memory.project, '.forge.json'), JSON.stringify(settings))
  approveStores(memory.project)
  // Without a worker, which would fill in what is missing at once.
  const { call } = await freshServer(t, memory, { drain: false })
  const vectors = async () => (await call('GET', '/api/anvil/status')).body.vectors
  assert.deepEqual(await vectors(), { model: 'ollama:test', done: 0, total: 1, refused: 0 })
  await drainOpenBrain(memory.options)
  assert.deepEqual(await vectors(), { model: 'ollama:test', done: 1, total: 1, refused: 0 })
})

test('two servers share the work, and nothing is delivered twice', async (t) => {
  const memory = freshMemory(t)
  const servers = [await freshServer(t, memory), await freshServer(t, memory)]
  for (let n = 0; n < 60; n += 1) captureMemory({ type: 'lesson', body: sentenceOf(n) }, memory.options)
  // A pass is noted after it has ended.
  const delivered = () => listDrains(memory.options).reduce((sum, pass) => sum + pass.delivered, 0)
  const status = () => openBrainStatus(memory.options)
  await until(async () => (await status()).stored === 60 && (await status()).queued === 0, 'all are delivered')
  assert.equal((await status()).deadLetters, 0)
  // A server ends after its pass, so that none is left to come.
  for (const { server } of servers) await server.close()
  assert.equal(delivered(), 60)
})

test('dead letters are listed, retried and dropped', async (t) => {
  const memory = freshMemory(t)
  const { id } = captureMemory({ type: 'lesson', body: 'refused by the store' }, memory.options)
  const other = captureMemory({ type: 'lesson', body: 'another thing that was refused' }, memory.options)
  // As of a version that put no mark on records: the drain does not queue them again by itself.
  writeFileSync(memory.raw, readFileSync(memory.raw, 'utf8').replace(/,"_mark":"[^"]*"/g, ''))
  const letter = (thought, reason) =>
    JSON.stringify({ ...thought, _status: 'failed', _attempts: 5, _lastError: reason, _failedAt: thought.captured_at })
  const lines = [letter({ ...other.thought, id }, 'too long'), letter(other.thought, 'not liked')]
  writeFileSync(memory.forge('openbrain-queue.jsonl'), '')
  writeFileSync(memory.forge('openbrain-dlq.jsonl'), `${lines.join('\n')}\n`)
  await trustForeignRecords(memory.options)
  const { server, call } = await freshServer(t, memory, { drain: false })
  const subscriber = await subscribe(t, server.hub)
  await subscriber.live()
  const list = async () => (await call('GET', '/api/dlq')).body
  assert.deepEqual([(await list()).total, (await list()).letters.map((found) => found.id)], [2, [id, other.id]])
  assert.deepEqual((await call('POST', '/api/dlq', { action: 'drop', ids: [other.id] })).body, {
    action: 'drop',
    count: 1,
  })
  assert.deepEqual((await call('POST', '/api/dlq', { action: 'retry' })).body, { action: 'retry', count: 1 })
  await subscriber.until((events) => events.filter(({ type }) => type === 'dlq-changed').length === 2)
  assert.deepEqual(await list(), { letters: [], total: 0 })
  const { body } = await call('POST', '/api/memory/drain', {})
  assert.equal(body.delivered, 1)
})
