// The doorway to the shared store through the addon: types, codes, promises, one happy path for every function.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as addon from '../index.js'
import { freshMemory } from './support/memory.mjs'

const { captureMemory, diagnose, EmbeddedStore, OpenBrainDrain } = addon
const MINUTE = 60_000

function projectWith(t, ...bodies) {
  const { project: projectDir } = freshMemory(t)
  const ids = bodies.map((body) => captureMemory({ type: 'lesson', body }, { projectDir }).id)
  return { projectDir, ids }
}

function at(minutes) {
  return new Date(Date.now() + minutes * MINUTE).toISOString()
}

test('a capture is leased with all its fields, settled, and removed from the queue', async (t) => {
  const { projectDir, ids } = projectWith(t, 'Close the pool after integration tests')
  const drain = OpenBrainDrain.open({ projectDir })
  const [leased, ...others] = await drain.lease(10)
  assert.equal(others.length, 0)
  assert.deepEqual([leased.action, leased.id, leased.ids, leased.attempts], ['store', ids[0], ids, 0])
  assert.equal(leased.thought.content, 'Close the pool after integration tests')
  assert.equal(JSON.parse(leased.thought.metadata).hallmark.schemaVersion, 'hallmark/v1')
  assert.deepEqual(await drain.lease(10), [], 'it belongs to one')
  const report = await drain.settle([{ key: leased.key, kind: 'delivered' }])
  assert.deepEqual(report, { delivered: 1, deferred: 0, dead: 0, failed: 0, unknown: 0 })
  assert.equal(await drain.nextDueAt(), null)
  await drain.record({ source: 'test', attempted: 1, delivered: 1, deferred: 0, dlq: 0, durationMs: 7 })
  drain.close()
  assert.equal(readFileSync(join(projectDir, '.forge', 'openbrain-queue.jsonl'), 'utf8'), '')
  const status = addon.queueStatus({ projectDir })
  assert.deepEqual([status.queued, status.due, status.deadLetters, status.malformed], [0, 0, 0, 0])
  assert.deepEqual([status.lastDrain.source, status.lastDrain.durationMs, status.trend.totalDelivered], ['test', 7, 1])
})

test('only one process drains at a time, and closing the drain releases the lock', async (t) => {
  const { projectDir } = projectWith(t, 'Something to deliver')
  const drain = OpenBrainDrain.open({ projectDir })
  assert.throws(() => OpenBrainDrain.open({ projectDir }), { code: 'LOCKED' })
  drain.close()
  await assert.rejects(drain.lease(1), { code: 'UNSUPPORTED' })
  const next = OpenBrainDrain.open({ projectDir })
  assert.equal((await next.lease(5)).length, 1)
  next.close()
})

test('a busy store defers, a wrong setting pauses, and status and doctor report both', async (t) => {
  const { projectDir } = projectWith(t, 'First of two remarks', 'Second and other of the pair')
  const drain = OpenBrainDrain.open({ projectDir })
  const [first, second] = await drain.lease(2)
  const deferred = await drain.settle([{ key: first.key, kind: 'busy', reason: 'HTTP 503' }])
  assert.equal(deferred.deferred, 1)
  assert.ok(deferred.nextDueAt > new Date().toISOString())
  let status = addon.queueStatus({ projectDir })
  assert.deepEqual([status.queued, status.deferred, status.lastError.message], [2, 1, 'HTTP 503'])
  assert.ok(
    diagnose({ projectDir }).some(({ code, message }) => code === 'DRAIN_DEFERRED' && message.includes('HTTP 503')),
  )
  const paused = await drain.settle([{ key: second.key, kind: 'misconfigured', reason: 'the key is wrong' }])
  assert.equal(paused.paused, 'the key is wrong')
  assert.deepEqual(await drain.lease(5, at(600)), [])
  status = addon.queueStatus({ projectDir })
  assert.deepEqual([status.paused.reason, status.due], ['the key is wrong', 0])
  const [worst] = diagnose({ projectDir })
  assert.deepEqual([worst.code, worst.severity], ['DRAIN_PAUSED', 'problem'])
  assert.equal(addon.buildMemoryReport({ projectDir }).queue.paused, 'the key is wrong')
  await drain.resume()
  assert.deepEqual((await drain.lease(5)).map(({ attempts }) => attempts).sort(), [0, 0])
  drain.close()
})

test('rejected records are listed, retried and dropped', async (t) => {
  const { projectDir, ids } = projectWith(
    t,
    'One thing that is refused',
    'Another matter that nobody wants',
    'The third',
  )
  const drain = OpenBrainDrain.open({ projectDir })
  const leased = await drain.lease(3)
  const report = await drain.settle(leased.map(({ key }) => ({ key, kind: 'rejected', reason: 'too long' })))
  assert.equal(report.dead, 3)
  const letters = addon.listDeadLetters({ projectDir })
  assert.deepEqual(
    letters.map(({ id }) => id),
    ids,
  )
  assert.deepEqual([letters[0].reason, letters[0].attempts, letters[0].action], ['too long', 1, 'store'])
  assert.deepEqual(addon.dropDeadLetters([ids[0], 'mem_x'], { projectDir }), { dropped: 1, unknown: ['mem_x'] })
  assert.deepEqual(addon.retryDeadLetters([ids[1]], { projectDir }), { retried: 1, forgotten: 0, unknown: [] })
  assert.deepEqual(
    (await drain.lease(3)).map(({ id }) => id),
    [ids[1]],
  )
  assert.equal(await drain.replayDeadLetters(), 1)
  assert.deepEqual(
    (await drain.lease(3)).map(({ id }) => id),
    [ids[2]],
  )
  assert.deepEqual(addon.retryDeadLetters(undefined, { projectDir }), { retried: 0, forgotten: 0, unknown: [] })
  drain.close()
})

test('wrong arguments of the drain are INVALID_INPUT', async (t) => {
  const { projectDir } = projectWith(t)
  const drain = OpenBrainDrain.open({ projectDir })
  const wrong = [
    () => OpenBrainDrain.open('here'),
    () => OpenBrainDrain.open({ projectDir: join(projectDir, 'nowhere') }),
    () => drain.lease(0),
    () => drain.lease(Number.NaN),
    () => drain.lease(1, 'soon'),
    () => drain.settle('all'),
    () => drain.settle([{ key: 'x', kind: 'lost' }]),
    () => drain.settle([{ kind: 'busy' }]),
    () => drain.settle([null]),
    () => drain.record(),
    () => addon.dropDeadLetters('all', { projectDir }),
    () => addon.retryDeadLetters([1], { projectDir }),
  ]
  for (const call of wrong) await assert.rejects(async () => call(), { code: 'INVALID_INPUT' }, String(call))
  drain.close()
})

test('the embedded store keeps, finds, embeds and forgets', async (t) => {
  const { project: projectDir } = freshMemory(t)
  const store = EmbeddedStore.open(join(projectDir, 'home', 'openbrain.db'))
  assert.ok(!existsSync(store.path), 'nothing is made before the first call')
  const thought = (id, content, extra) => {
    return { id, content, project: 'shop', type: 'lesson', capturedAt: '2026-11-20T10:00:00.000Z', ...extra }
  }
  const vector = Float32Array.of(1, 0, 0)
  const put = [
    thought('mem_1', 'the pump leaks', { vector, model: 'm' }),
    thought('mem_2', 'the fence is red', { tags: ['garden'] }),
  ]
  assert.deepEqual(await store.put(put), ['stored', 'stored'])
  assert.deepEqual(await store.put([put[0]]), ['known'])
  assert.deepEqual(await store.has(['mem_1', 'mem_3']), [true, false])
  const lexical = await store.search({ text: 'pump' })
  assert.deepEqual([lexical.semantic, lexical.hits.length, lexical.hits[0].id], [false, 1, 'mem_1'])
  assert.deepEqual(await store.withoutVectors('m', 10), [{ id: 'mem_2', content: 'the fence is red' }])
  assert.equal(await store.putVectors('m', [{ id: 'mem_2', vector: Float32Array.of(0, 1, 0) }]), 1)
  assert.deepEqual(await store.models(), [{ name: 'm', dimensions: 3, vectors: 2 }])
  const near = await store.search({ text: '', vector: Float32Array.of(0.1, 1, 0), model: 'm', limit: 1 })
  assert.deepEqual([near.semantic, near.hits[0].id, near.hits[0].tags], [true, 'mem_2', ['garden']])
  assert.equal((await store.list({ project: 'shop', since: '2026-01-01' })).length, 2)
  assert.equal(await store.remove(['mem_1']), 1)
  assert.deepEqual(await store.put([put[0]]), ['forgotten'])
  assert.deepEqual([await store.count('shop'), await store.count('till')], [1, 0])
  assert.equal(await store.dropModel('m'), 1)
  store.close()
  await assert.rejects(store.count(), { code: 'UNSUPPORTED' })
})

test('wrong arguments of the embedded store are INVALID_INPUT, and a wrong file is CORRUPT', async (t) => {
  const { project: projectDir } = freshMemory(t)
  const store = EmbeddedStore.open(join(projectDir, 'openbrain.db'))
  const good = { id: 'mem_1', content: 'x', project: 'p', type: 'lesson', capturedAt: '2026-11-20' }
  const vector = Float32Array.of(1)
  const wrong = [
    () => EmbeddedStore.open(7),
    () => store.put(good),
    () => store.put([{ ...good, id: undefined }]),
    () => store.put([{ ...good, id: '../x' }]),
    () => store.put([{ ...good, content: '\ud800' }]),
    () => store.put([{ ...good, vector }]),
    () => store.put([{ ...good, vector: [1], model: 'm' }]),
    () => store.put([{ ...good, vector: Float32Array.of(0), model: 'm' }]),
    () => store.search({}),
    () => store.search({ text: 'x', limit: 0 }),
    () => store.search({ text: 'x', since: 'whenever' }),
    () => store.withoutVectors('m', -1),
    () => store.putVectors('m', [{ id: 'mem_1' }]),
  ]
  for (const call of wrong) await assert.rejects(async () => call(), { code: 'INVALID_INPUT' }, String(call))
  store.close()
  writeFileSync(join(projectDir, 'other.db'), 'no database '.repeat(50))
  await assert.rejects(EmbeddedStore.open(join(projectDir, 'other.db')).count(), { code: 'CORRUPT' })
})
