import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import {
  buildMemoryReport,
  captureMemory,
  drainOpenBrain,
  listDeadLetters,
  openBrainStatus,
  queueStatus,
  retryDeadLetters,
} from '../dist/index.js'
import { startEmbedder } from './support/embedder-server.mjs'
import { freshMemory, sentenceOf } from './support/memory.mjs'
import { startOpenBrain } from './support/openbrain-server/server.mjs'
import { freePort, startPostgres } from './support/postgres.mjs'
import { approveStores } from './support/trust.mjs'

delete process.env.OPENBRAIN_KEY

const ATTEMPTS_MAX = 5
const EMBED_FAILED = { error: 'embed failed: 500' }

async function served(t, options) {
  const server = await startOpenBrain(options)
  t.after(() => server.close())
  return server
}

function configured(memory, openbrain, rest) {
  writeFileSync(join(memory.project, '.forge.json'), JSON.stringify({ projectName: 'shop', openbrain, ...rest }))
  approveStores(memory.project)
}

function capture(memory, body) {
  return captureMemory({ type: 'lesson', body, tool: 'test' }, memory.options).id
}

/** So many different thoughts, and one that a server chokes on among them. */
function captureWithPoison(memory, count) {
  for (let number = 0; number < count; number += 1) {
    if (number === Math.floor(count / 3)) capture(memory, 'the poisoned thought that no server takes')
    capture(memory, sentenceOf(number))
  }
}

for (const [name, doorOf, on] of [
  ['REST', (server) => server.rest, /^POST \/memories/],
  ['MCP', (server) => server.sse, /^capture_thought/],
]) {
  test(`over ${name} a record that a server always fails on is found, counted and given up on, and stops no other`, {
    timeout: 300_000,
  }, async (t) => {
    const memory = freshMemory(t)
    const server = await served(t)
    configured(memory, { url: doorOf(server) })
    captureWithPoison(memory, 60)
    server.fail({ on, holds: 'the poisoned thought', status: 502, body: EMBED_FAILED, times: Number.POSITIVE_INFINITY })
    const first = await drainOpenBrain(memory.options)
    assert.deepEqual([first.delivered, first.failed, first.dlq, first.queued], [60, 1, 0, 1])
    assert.equal(queueStatus(memory.options).retrying, 1)
    let last = first
    for (let pass = 2; pass <= ATTEMPTS_MAX; pass += 1) last = await drainOpenBrain(memory.options)
    assert.deepEqual([last.dlq, last.queued, last.deadLetters], [1, 0, 1])
    const [letter] = listDeadLetters(memory.options)
    assert.equal(letter.attempts, ATTEMPTS_MAX)
    assert.match(letter.reason, /failed/)
    assert.equal(server.brain.rows.length, 60)
    const { trend } = queueStatus(memory.options)
    assert.deepEqual([trend.totalFailed, trend.totalDead], [ATTEMPTS_MAX, 1])
    assert.equal(buildMemoryReport(memory.options).drainTrend.totalFailed, ATTEMPTS_MAX)
  })
}

for (const [name, doorOf] of [
  ['REST', (server) => server.rest],
  ['MCP', (server) => server.sse],
]) {
  test(`over ${name} a text that the server's own embedder fails on, in searches as well, stops no other`, {
    timeout: 300_000,
  }, async (t) => {
    const memory = freshMemory(t)
    const server = await served(t)
    server.brain.refuses = 'the poisoned thought'
    configured(memory, { url: doorOf(server) })
    captureWithPoison(memory, 70)
    const first = await drainOpenBrain(memory.options)
    assert.deepEqual([first.delivered, first.failed, first.dlq, first.queued], [70, 1, 0, 1])
    let last = first
    for (let pass = 2; pass <= ATTEMPTS_MAX; pass += 1) last = await drainOpenBrain(memory.options)
    assert.deepEqual([last.dlq, last.queued, last.deadLetters], [1, 0, 1])
    assert.match(listDeadLetters(memory.options)[0].reason, /Ollama embed failed: 500/)
    // The embedder is repaired: the letter is put back and delivered.
    server.brain.refuses = undefined
    assert.equal(retryDeadLetters(null, memory.options).retried, 1)
    assert.equal((await drainOpenBrain(memory.options)).delivered, 1)
    assert.equal(server.brain.rows.length, 71)
  })
}

test('an outage does not count against any record, however long it lasts and however the server reports it', async (t) => {
  const memory = freshMemory(t)
  const server = await served(t)
  configured(memory, { url: server.rest })
  for (let number = 0; number < 12; number += 1) capture(memory, sentenceOf(number))
  for (const [status, body] of [
    [500, { error: 'boom' }],
    [502, EMBED_FAILED],
    [503, {}],
  ]) {
    const fault = { on: /^POST \/memories/, status, body, times: Number.POSITIVE_INFINITY }
    server.fail(fault)
    for (let pass = 0; pass < ATTEMPTS_MAX + 2; pass += 1) {
      const report = await drainOpenBrain(memory.options)
      assert.deepEqual([report.state, report.delivered, report.dlq, report.queued], ['busy', 0, 0, 12], `${status}`)
    }
    assert.equal(queueStatus(memory.options).retrying, 0)
    server.state.faults.length = 0
  }
  assert.equal((await drainOpenBrain(memory.options)).delivered, 12)
})

test('with batches of one the poisoned record, first in the queue, stops no other', async (t) => {
  const memory = freshMemory(t)
  const server = await served(t)
  configured(memory, { url: server.rest })
  capture(memory, 'the poisoned thought that no server takes')
  for (let number = 0; number < 5; number += 1) capture(memory, sentenceOf(number))
  server.fail({ on: /^POST \/memories/, holds: 'poisoned', status: 500, body: {}, times: Number.POSITIVE_INFINITY })
  const report = await drainOpenBrain({ ...memory.options, maxBatch: 1 })
  assert.deepEqual([report.delivered, report.failed, report.queued], [5, 1, 1])
})

for (const backend of ['embedded', 'postgres']) {
  test(`${backend}: a text that the embedder refuses does not affect others, and status reports it`, {
    timeout: 300_000,
  }, async (t) => {
    const memory = freshMemory(t)
    const embedder = await startEmbedder()
    t.after(() => embedder.close())
    let url = 'file'
    if (backend === 'postgres') {
      const server = await startPostgres()
      t.after(() => server.close())
      url = await server.database()
    }
    embedder.state.fault = { status: 503, body: {} }
    configured(memory, { url }, { embedder: { kind: 'ollama', url: embedder.url, model: 'test' } })
    for (let number = 0; number < 100; number += 1) capture(memory, sentenceOf(number))
    capture(memory, 'the poisoned thought that no embedder takes')
    const delivered = await drainOpenBrain(memory.options)
    assert.deepEqual([delivered.state, delivered.delivered, delivered.embedded], ['done', 101, 0])
    embedder.state.fault = undefined
    assert.equal((await openBrainStatus(memory.options)).vectors.done, 0)
    embedder.state.refuses = 'poisoned'
    assert.equal((await drainOpenBrain(memory.options)).embedded, 100)
    const { vectors } = await openBrainStatus(memory.options)
    assert.deepEqual([vectors.done, vectors.total, vectors.refused], [100, 101, 1])
    for (let pass = 0; pass < ATTEMPTS_MAX; pass += 1) await drainOpenBrain(memory.options)
    const asked = embedder.state.requests.length
    await drainOpenBrain(memory.options)
    assert.ok(embedder.state.requests.length - asked <= 2, 'it is left alone now')
    // One that comes with others keeps none of them from being stored with theirs.
    capture(memory, 'another poisoned thought')
    capture(memory, 'and a good one beside it')
    assert.equal((await drainOpenBrain(memory.options)).delivered, 2)
    assert.equal((await openBrainStatus(memory.options)).vectors.done, 101)
  })
}

test('an unreachable server is not contacted once per record', async (t) => {
  const memory = freshMemory(t)
  configured(memory, { url: `http://127.0.0.1:${await freePort()}` })
  for (let number = 0; number < 40; number += 1) capture(memory, sentenceOf(number))
  const report = await drainOpenBrain(memory.options)
  assert.deepEqual([report.state, report.attempted, report.queued], ['busy', 20, 40])
})
