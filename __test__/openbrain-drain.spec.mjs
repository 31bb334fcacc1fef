import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import {
  captureMemory,
  drainOpenBrain,
  editMemory,
  forget,
  openBrainStatus,
  queueStatus,
  searchThoughts,
  trustForeignRecords,
} from '../dist/index.js'
import { OpenBrainDrain } from '../dist/internal.js'
import { createDrainWorker } from '../dist/outbox/worker.js'
import { startEmbedder } from './support/embedder-server.mjs'
import { runOffline } from './support/isolation.mjs'
import { freshMemory, physicalLines, sentenceOf } from './support/memory.mjs'
import { startOpenBrain } from './support/openbrain-server/server.mjs'
import { freePort } from './support/postgres.mjs'
import { approveStores } from './support/trust.mjs'
import { until } from './support/waiting.mjs'

delete process.env.OPENBRAIN_KEY

function configured(memory, openbrain, rest) {
  writeFileSync(join(memory.project, '.forge.json'), JSON.stringify({ projectName: 'shop', openbrain, ...rest }))
  approveStores(memory.project)
}

function capture(memory, body, extra) {
  return captureMemory({ type: 'lesson', body, tool: 'test', ...extra }, memory.options)
}

async function served(t, options) {
  const server = await startOpenBrain(options)
  t.after(() => server.close())
  return server
}

test("captures are delivered to the store of the user's own store without any setting, and found in it", async (t) => {
  const memory = freshMemory(t)
  const { id } = capture(memory, 'Gate needs --runInBand on Windows', { tags: ['jest'] })
  const report = await drainOpenBrain(memory.options)
  const { state, attempted, delivered, deferred, dlq, backend, queued } = report
  assert.deepEqual(
    { state, attempted, delivered, deferred, dlq, backend, queued },
    {
      state: 'done',
      attempted: 1,
      delivered: 1,
      deferred: 0,
      dlq: 0,
      backend: 'embedded',
      queued: 0,
    },
  )
  const { thoughts, semantic } = await searchThoughts('gate windows', memory.options)
  assert.deepEqual([thoughts[0].id, thoughts[0].tags, semantic], [id, ['jest'], false])
  const [stats] = physicalLines(memory.forge('openbrain-stats.jsonl')).map((line) => JSON.parse(line))
  assert.deepEqual([stats._v, stats.source, stats.attempted, stats.delivered], [1, 'drain', 1, 1])
  assert.equal((await drainOpenBrain(memory.options)).attempted, 0)
  assert.equal(physicalLines(memory.forge('openbrain-stats.jsonl')).length, 1, 'a drain without work is no pass')
})

test('the shared memory uses no network before an endpoint is configured', (t) => {
  assert.deepEqual(runOffline('shared-memory-tour', freshMemory(t), {}), {
    queued: [true, true],
    delivered: 1,
    found: 1,
    backend: 'embedded',
    semantic: false,
    reachable: true,
    left: 0,
    tried: [],
  })
})

test('a backlog is drained completely, with every batch size', async (t) => {
  const memory = freshMemory(t)
  for (let at = 0; at < 130; at += 1) capture(memory, sentenceOf(at))
  const seen = []
  const report = await drainOpenBrain({
    ...memory.options,
    maxBatch: 25,
    onProgress: ({ attempted, waiting }) => seen.push([attempted, waiting]),
  })
  assert.deepEqual([report.delivered, report.batches, report.queued], [130, 6, 0])
  assert.deepEqual(seen, [
    [25, 105],
    [50, 80],
    [75, 55],
    [100, 30],
    [125, 5],
    [130, 0],
  ])
})

test('edits and deletes reach the server as well', async (t) => {
  const memory = freshMemory(t)
  const server = await served(t)
  configured(memory, { url: server.rest })
  const [edited, forgotten] = [capture(memory, 'release on fridays'), capture(memory, 'never mock the clock')]
  await drainOpenBrain(memory.options)
  assert.equal(server.brain.rows.length, 2)
  const revision = editMemory(edited.id, { body: 'release on mondays' }, memory.options)
  forget(forgotten.id, memory.options)
  const report = await drainOpenBrain(memory.options)
  assert.deepEqual([report.state, report.dlq, report.queued], ['done', 0, 0])
  assert.deepEqual(
    server.brain.rows.map(({ content, metadata }) => [content, metadata.provenance.origin]),
    [['release on mondays', revision.id]],
  )
})

test('a record that the server refuses becomes a dead letter with its reason, and stops no other', async (t) => {
  const memory = freshMemory(t)
  const server = await served(t, { capabilities: ['capture', 'search', 'stats', 'by-source'] })
  configured(memory, { url: server.rest })
  for (const body of ['the first of three', 'a second one here', 'and then a third']) capture(memory, body)
  server.fail({ on: /^POST \/memories$/, status: 400, body: { error: 'content looks like a secret' } })
  const report = await drainOpenBrain(memory.options)
  assert.deepEqual([report.state, report.delivered, report.dlq, report.deadLetters], ['done', 2, 1, 1])
  const status = await openBrainStatus(memory.options)
  assert.equal(status.deadLetters, 1)
  const [letter] = physicalLines(memory.forge('openbrain-dlq.jsonl')).map((line) => JSON.parse(line))
  assert.match(letter._reason ?? letter._lastError, /content looks like a secret/)
})

test('a wrong key pauses the drain, is reported, uses up no attempts, and a correct key resumes it', async (t) => {
  const memory = freshMemory(t)
  const server = await served(t, { key: 'secret-right' })
  configured(memory, { url: server.sse })
  mkdirSync(memory.forge(), { recursive: true })
  const secrets = memory.forge('secrets.json')
  writeFileSync(secrets, '{"openbrain":{"key":"secret-wrong"}}', { mode: 0o600 })
  capture(memory, 'a thought worth keeping')
  const report = await drainOpenBrain(memory.options)
  assert.deepEqual([report.state, report.delivered, report.queued, report.deadLetters], ['misconfigured', 0, 1, 0])
  assert.match(report.reason, /refuses the key/)
  const status = await openBrainStatus(memory.options)
  assert.equal(status.reachable, false)
  assert.match(status.paused.reason, /refuses the key/)
  const [waiting] = physicalLines(memory.forge('openbrain-queue.jsonl')).map((line) => JSON.parse(line))
  assert.equal(waiting._attempts, 0)
  assert.doesNotMatch(JSON.stringify([report, status]), /secret-/)
  writeFileSync(secrets, '{"openbrain":{"key":"secret-right"}}', { mode: 0o600 })
  assert.equal((await drainOpenBrain(memory.options)).delivered, 1)
})

test('an unreachable server defers the delivery, with a clear message', async (t) => {
  const memory = freshMemory(t)
  configured(memory, { url: `http://127.0.0.1:${await freePort()}` })
  capture(memory, 'a thought worth keeping')
  const report = await drainOpenBrain(memory.options)
  assert.deepEqual([report.state, report.queued, report.deadLetters], ['busy', 1, 0])
  assert.match(report.reason, /^http:\/\/127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)$/)
  const status = await openBrainStatus(memory.options)
  assert.deepEqual([status.reachable, status.capabilities, status.queued], [false, null, 1])
  assert.match(status.lastError.message, /ECONNREFUSED/)
})

test('an outage of 24 hours makes no dead letter', async (t) => {
  const memory = freshMemory(t)
  for (let at = 0; at < 5; at += 1) capture(memory, sentenceOf(at))
  const drain = OpenBrainDrain.open(memory.options)
  const start = Date.now()
  let tries = 0
  for (let now = start; now < start + 24 * 3_600_000; ) {
    const batch = await drain.lease(50, new Date(now).toISOString())
    if (batch.length > 0) {
      tries += 1
      const outcomes = batch.map(({ key }) => ({ key, kind: 'busy', reason: 'down' }))
      await drain.settle(outcomes, new Date(now).toISOString())
    }
    const due = await drain.nextDueAt(new Date(now).toISOString())
    now = Math.max(Date.parse(due), now + 1000)
  }
  drain.close()
  assert.ok(tries > 20 && tries < 500, `${tries} tries`)
  const { queued, deadLetters } = queueStatus(memory.options)
  assert.deepEqual([queued, deadLetters], [5, 0])
  assert.deepEqual((await drainOpenBrain(memory.options)).delivered, 5)
})

test('lines of older tools are delivered, and unreadable lines stay and are counted', async (t) => {
  const memory = freshMemory(t)
  capture(memory, 'our own')
  const queue = memory.forge('openbrain-queue.jsonl')
  const time = '2026-11-20T10:00:00.000Z'
  const pending = { _status: 'pending', _attempts: 0, _enqueuedAt: time, _nextAttemptAt: time }
  const lines = [
    {
      _v: 1,
      ...pending,
      content: 'from the older tool',
      project: 'shop',
      type: 'gotcha',
      source: 'forge_sweep',
      captured_at: time,
    },
    {
      _v: 1,
      content: '{"pattern":"jwt"}',
      type: 'decision',
      source: 'brain.remember',
      key: 'cross.pattern.auth',
      ...pending,
    },
    { _v: 1, ...pending, _attempts: 4, _nextAttemptAt: 'not a date', content: 'put off for ever', type: 'lesson' },
    { _v: 1, ...pending, _status: 'failed', content: 'failed, and left lying', type: 'lesson' },
    { _v: 1, ...pending, content: { summary: 'an object' }, type: 'lesson' },
  ]
  appendFileSync(queue, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"torn": \nnull\n\u0000\u0001\n`)
  assert.equal((await drainOpenBrain(memory.options)).delivered, 1, 'what others wrote is set aside')
  assert.equal(queueStatus(memory.options).foreign, 5)
  trustForeignRecords(memory.options)
  const report = await drainOpenBrain(memory.options)
  assert.equal(report.state, 'done')
  const again = await drainOpenBrain(memory.options)
  assert.equal(again.attempted, 0)
  const { thoughts } = await searchThoughts('older tool', memory.options)
  assert.equal(thoughts[0].content, 'from the older tool')
  const status = queueStatus(memory.options)
  assert.equal(report.delivered + status.deadLetters, 5, JSON.stringify([report, status]))
  assert.equal(status.malformed, 3, JSON.stringify(status))
  const left = readFileSync(queue, 'utf8')
  for (const odd of ['{"torn": ', 'null', '\u0000\u0001']) assert.ok(left.includes(odd), odd)
})

test('only one process drains a project at a time', async (t) => {
  const memory = freshMemory(t)
  const drain = OpenBrainDrain.open(memory.options)
  await assert.rejects(drainOpenBrain(memory.options), { code: 'LOCKED' })
  drain.close()
  assert.equal((await drainOpenBrain(memory.options)).state, 'done')
})

test('the worker wakes on a capture, reports what it did, and stops on request', async (t) => {
  const memory = freshMemory(t)
  const worker = createDrainWorker({ ...memory.options, intervalMs: 600_000 })
  t.after(() => worker.stop())
  const [states, passes] = [[], []]
  worker.on('state', (state) => states.push(state))
  worker.on('pass', ({ delivered, source }) => passes.push([delivered, source]))
  worker.start()
  await until(() => worker.state === 'idle', 'idle after the start')
  capture(memory, 'the first capture of the day')
  await until(() => passes.length === 1, 'a pass after a capture')
  capture(memory, 'another one, a little later')
  await until(() => passes.length === 2, 'a pass after the next capture')
  await worker.stop()
  assert.deepEqual(passes, [
    [1, 'drain'],
    [1, 'drain'],
  ])
  assert.deepEqual(
    [states.at(0), states.at(-1)],
    ['draining', 'stopped'].map((state, at) => (at === 0 ? states[0] : state)),
  )
  assert.ok(states.includes('draining') && states.includes('idle'))
  capture(memory, 'after the end of the day')
  // What another one delivers, this one has left alone.
  const after = await drainOpenBrain(memory.options)
  assert.deepEqual([after.delivered, passes.length], [1, 2])
})

test('the worker retries dead letters at its start, and takes over when another one ends', async (t) => {
  const memory = freshMemory(t)
  const server = await served(t)
  configured(memory, { url: server.rest })
  capture(memory, 'refused at first')
  server.fail({ on: /^POST \/memories$/, status: 400, body: { error: 'not today' } })
  await drainOpenBrain(memory.options)
  assert.equal(queueStatus(memory.options).deadLetters, 1)
  const held = OpenBrainDrain.open(memory.options)
  const worker = createDrainWorker({ ...memory.options, intervalMs: 100 })
  t.after(() => worker.stop())
  worker.start()
  await until(() => worker.state === 'standby', 'it stands by')
  held.close()
  worker.wake()
  await until(() => server.brain.rows.length === 1, 'the dead letter is delivered')
  await until(() => queueStatus(memory.options).deadLetters === 0, 'no dead letter is left')
  assert.equal(worker.handshake.capabilities.dialect, 'openbrain-rest')
})

test('the worker waits while the server is away, and delivers when it is back', async (t) => {
  const memory = freshMemory(t)
  const port = await freePort()
  configured(memory, { url: `http://127.0.0.1:${port}` })
  capture(memory, 'patience is a virtue')
  const worker = createDrainWorker({ ...memory.options, intervalMs: 100 })
  t.after(() => worker.stop())
  worker.start()
  await until(() => worker.state === 'waiting', 'it waits')
  assert.match(worker.reason, /ECONNREFUSED/)
  const server = await served(t, { port })
  await until(() => server.brain.rows.length === 1, 'it is delivered')
  await until(() => worker.state === 'idle', 'it is idle again')
})

test('the worker pauses for an invalid setting, and continues when it is fixed', async (t) => {
  const memory = freshMemory(t)
  configured(memory, { url: 'postgres://me:hunter2@host/db' })
  capture(memory, 'a thought worth keeping')
  const worker = createDrainWorker({ ...memory.options, intervalMs: 100 })
  t.after(() => worker.stop())
  worker.start()
  await until(() => worker.state === 'paused', 'it pauses')
  assert.match(worker.reason, /carries a password/)
  assert.doesNotMatch(worker.reason, /hunter2/)
  configured(memory, { url: 'file' })
  await until(() => queueStatus(memory.options).queued === 0, 'it is delivered')
})

test('the idle worker computes missing vectors, with progress', async (t) => {
  const memory = freshMemory(t)
  for (let at = 0; at < 150; at += 1) capture(memory, `reset the password ${sentenceOf(at)}`)
  await drainOpenBrain(memory.options)
  const embedder = await startEmbedder()
  t.after(() => embedder.close())
  configured(memory, { url: 'file' }, { embedder: { kind: 'ollama', url: embedder.url, model: 'test' } })
  const worker = createDrainWorker({ ...memory.options, intervalMs: 100 })
  t.after(() => worker.stop())
  const seen = []
  worker.on('embedding', ({ done, total }) => seen.push([done, total]))
  worker.start()
  await until(() => seen.at(-1)?.[0] === 150, 'all have vectors')
  // The first batch is small, so that there is progress soon; the others grow while they are quick.
  assert.deepEqual(seen[0], [64, 150])
  assert.ok(seen.every(([done, total], at) => total === 150 && (at === 0 || done > seen[at - 1][0])))
  const { semantic, thoughts } = await searchThoughts('login', memory.options)
  assert.deepEqual([semantic, thoughts.length], [true, 10])
})

test('a store with vectors of another dimension pauses the drain, and uses up no attempts', async (t) => {
  const memory = freshMemory(t)
  const embedder = await startEmbedder({ dimensions: 32 })
  t.after(() => embedder.close())
  configured(memory, { url: 'file' }, { embedder: { kind: 'ollama', url: embedder.url, model: 'test' } })
  capture(memory, 'the first thought of all')
  await drainOpenBrain(memory.options)
  embedder.state.dimensions = 48
  capture(memory, 'another one some time later')
  const report = await drainOpenBrain(memory.options)
  assert.deepEqual([report.state, report.queued, report.deadLetters], ['misconfigured', 1, 0])
  assert.match(report.reason, /vectors of 32 dimensions for ollama:test, but the embedder computes 48/)
  embedder.state.dimensions = 32
  assert.equal((await drainOpenBrain(memory.options)).delivered, 1)
})

test('a drain in a process with a worker is made by that worker', async (t) => {
  const memory = freshMemory(t)
  const server = await served(t)
  configured(memory, { url: server.rest })
  const worker = createDrainWorker({ ...memory.options, intervalMs: 600_000 })
  t.after(() => worker.stop())
  worker.start()
  await until(() => worker.state === 'idle', 'it drains')
  server.fail({ on: /^POST \/memories$/, status: 503 })
  capture(memory, 'refused once, and put off')
  await until(() => worker.state === 'waiting', 'it waits')
  const report = await drainOpenBrain(memory.options)
  assert.deepEqual([report.state, report.delivered, report.backend, report.queued], ['done', 1, 'remote', 0])
  assert.equal(server.brain.rows.length, 1)
  const both = await Promise.all([drainOpenBrain(memory.options), drainOpenBrain(memory.options)])
  assert.deepEqual(
    both.map(({ state, attempted }) => [state, attempted]),
    [
      ['done', 0],
      ['done', 0],
    ],
  )
  await worker.stop()
  capture(memory, 'and after the worker has ended')
  assert.equal((await drainOpenBrain(memory.options)).delivered, 1)
})
