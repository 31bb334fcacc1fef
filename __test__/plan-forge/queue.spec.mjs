// The queue of the older tool: records, back-off, passes over records that the caller holds, and the drain of the project's own queue.
import assert from 'node:assert/strict'
import test from 'node:test'
import {
  applyDeliveryFailure,
  autoDrainOpenBrainQueue,
  buildDrainStatsRecord,
  captureMemory,
  drainOpenBrainQueue,
  nextBackoffTimestamp,
  partitionByBackoff,
  shapeQueueRecord,
} from 'forge-memory/plan-forge'
import { ARCHIVE, DEAD_LETTERS, freshProject, olderRecord, QUEUE } from '../support/plan-forge.mjs'

const NOW = Date.parse('2026-11-20T10:00:00.000Z')
const later = (iso) => Date.parse(iso) - NOW
const accepts = () => ({ ok: true })
const refuses = () => ({ ok: false, error: 'HTTP_503' })

test('a record has its bookkeeping in front', () => {
  const record = shapeQueueRecord({ content: 'a' })
  assert.deepEqual(Object.keys(record), ['_v', '_status', '_attempts', '_enqueuedAt', '_nextAttemptAt', 'content'])
  assert.deepEqual([record._v, record._status, record._attempts], [1, 'pending', 0])
  assert.equal(record._enqueuedAt, record._nextAttemptAt)
})

test('the fields of a thought win over the bookkeeping', () => {
  assert.equal(shapeQueueRecord({ _status: 'failed' })._status, 'failed')
})

for (const [attempts, least, most] of [
  [1, 24_000, 36_000],
  [2, 48_000, 72_000],
  [3, 96_000, 144_000],
  [4, 192_000, 288_000],
  [5, 384_000, 576_000],
]) {
  test(`after ${attempts} failures a record waits ${least / 1000} to ${most / 1000} s`, () => {
    for (let times = 0; times < 50; times += 1) {
      const wait = later(nextBackoffTimestamp(attempts, NOW))
      assert.ok(wait >= least && wait <= most, `${wait}`)
    }
  })
}

test('delays have jitter', () => {
  const waits = new Set(Array.from({ length: 50 }, () => nextBackoffTimestamp(1, NOW)))
  assert.ok(waits.size > 10)
})

for (const attempts of [40, 1000, Number.POSITIVE_INFINITY, Number.NaN]) {
  test(`after ${attempts} failures there still is a date`, () => {
    const wait = later(nextBackoffTimestamp(attempts, NOW))
    assert.ok(wait > 0 && wait <= 3_600_000 * 1.2)
  })
}

test('a failure is counted and retried', () => {
  const { action, record } = applyDeliveryFailure(olderRecord('a'), { error: 'HTTP_503', now: NOW })
  assert.equal(action, 'retry')
  assert.deepEqual([record._attempts, record._status, record._lastError], [1, 'pending', 'HTTP_503'])
  assert.ok(later(record._nextAttemptAt) >= 24_000)
})

test('the fifth failure is the last', () => {
  const { action, record } = applyDeliveryFailure(olderRecord('a', { _attempts: 4 }), { now: NOW })
  assert.equal(action, 'dlq')
  assert.deepEqual([record._attempts, record._status, record._lastError], [5, 'failed', 'unknown'])
  assert.equal(Date.parse(record._failedAt), NOW)
})

test('the number of attempts is an option', () => {
  assert.equal(applyDeliveryFailure(olderRecord('a'), { maxAttempts: 1 }).action, 'dlq')
  assert.equal(applyDeliveryFailure(olderRecord('a', { _attempts: 4 }), { maxAttempts: 6 }).action, 'retry')
})

test('an error is cut to 500 characters', () => {
  assert.equal(applyDeliveryFailure(olderRecord('a'), { error: 'x'.repeat(900) }).record._lastError.length, 500)
})

test('a failure does not modify the given record', () => {
  const record = olderRecord('a')
  const before = JSON.stringify(record)
  applyDeliveryFailure(record, {})
  assert.equal(JSON.stringify(record), before)
})

test('due records are ready, and others are deferred', () => {
  const [due, late] = [
    { _nextAttemptAt: new Date(NOW).toISOString() },
    { _nextAttemptAt: new Date(NOW + 1).toISOString() },
  ]
  assert.deepEqual(partitionByBackoff([due, late], NOW), { ready: [due], deferred: [late] })
})

test('a record without a time is due', () => {
  assert.equal(partitionByBackoff([{ content: 'a' }], NOW).ready.length, 1)
})

test('a record whose time cannot be read is deferred', () => {
  assert.equal(partitionByBackoff([{ _nextAttemptAt: 'soon' }], NOW).deferred.length, 1)
})

for (const record of [null, { _status: 'delivered' }, { _status: 'failed' }]) {
  test(`${JSON.stringify(record)} is in neither list`, () => {
    assert.deepEqual(partitionByBackoff([record], NOW), { ready: [], deferred: [] })
  })
}

test('a value that is not a list has no records', () => {
  assert.deepEqual(partitionByBackoff(undefined, NOW), { ready: [], deferred: [] })
})

test('the record of a pass counts in whole numbers, 0 for what is missing', () => {
  const stats = buildDrainStatsRecord({ attempted: 3.7, delivered: '2', durationMs: undefined, source: 'cli-drain' })
  assert.deepEqual(
    { ...stats, timestamp: '' },
    { _v: 1, timestamp: '', source: 'cli-drain', attempted: 3, delivered: 2, deferred: 0, dlq: 0, durationMs: 0 },
  )
  assert.ok(Date.parse(stats.timestamp) > 0)
})

test('the source of a pass is drain unless it is named', () => {
  assert.equal(buildDrainStatsRecord({}).source, 'drain')
})

test('a pass delivers what is due, in order', async () => {
  const order = []
  const pass = await drainOpenBrainQueue([olderRecord('a'), olderRecord('b')], ({ content }) => {
    order.push(content)
    return { ok: true }
  })
  assert.deepEqual(order, ['a', 'b'])
  assert.deepEqual([pass.delivered.length, pass.deferred.length, pass.dlq.length], [2, 0, 0])
})

test('delivered records are in the archive with status and time', async () => {
  const { archive } = await drainOpenBrainQueue([olderRecord('a')], accepts, { now: NOW + 1e9 })
  assert.equal(archive[0]._status, 'delivered')
  assert.ok(archive[0]._deliveredAt)
})

test('delivered records have the start time of their pass', async () => {
  const { archive } = await drainOpenBrainQueue([olderRecord('a'), olderRecord('b')], async () => {
    const before = Date.now()
    while (Date.now() === before) await new Promise((resolve) => setImmediate(resolve))
    return { ok: true }
  })
  assert.equal(archive[0]._deliveredAt, archive[1]._deliveredAt)
})

test('a pass leases one record after the other', async () => {
  let open = 0
  const most = []
  await drainOpenBrainQueue([olderRecord('a'), olderRecord('b'), olderRecord('c')], async () => {
    open += 1
    most.push(open)
    await new Promise((resolve) => setImmediate(resolve))
    open -= 1
    return { ok: true }
  })
  assert.deepEqual(most, [1, 1, 1])
})

test('the statistics count back-off, surplus and retries as deferred', async () => {
  const records = [olderRecord('fails'), olderRecord('surplus'), olderRecord('late', { _nextAttemptAt: '2999-01-01' })]
  const { stats, deferred } = await drainOpenBrainQueue(records, refuses, { maxBatch: 1 })
  assert.deepEqual([stats.attempted, stats.deferred, deferred.length], [1, 3, 3])
})

test('a record that reaches its own maximum of attempts becomes a dead letter', async () => {
  const { dlq } = await drainOpenBrainQueue([olderRecord('a')], refuses, { maxAttempts: 1 })
  assert.equal(dlq.length, 1)
})

test('a batch has at most 50 records, and the rest is deferred unchanged', async () => {
  const records = Array.from({ length: 53 }, (_, at) => olderRecord(`n${at}`))
  const pass = await drainOpenBrainQueue(records, accepts)
  assert.equal(pass.delivered.length, 50)
  assert.deepEqual(pass.deferred, records.slice(50))
})

test('the batch size is an option', async () => {
  const pass = await drainOpenBrainQueue([olderRecord('a'), olderRecord('b')], accepts, { maxBatch: 1 })
  assert.deepEqual([pass.stats.attempted, pass.stats.deferred], [1, 1])
})

for (const [what, dispatcher] of [
  ['an answer that is not ok', refuses],
  [
    'an exception',
    () => {
      throw new Error('HTTP_503')
    },
  ],
  [
    'a rejection',
    async () => {
      throw new Error('HTTP_503')
    },
  ],
]) {
  test(`${what} is a failure with its reason`, async () => {
    const { deferred } = await drainOpenBrainQueue([olderRecord('a')], dispatcher)
    assert.deepEqual([deferred[0]._attempts, deferred[0]._lastError], [1, 'HTTP_503'])
  })
}

for (const answer of [undefined, null, true, 'ok', { ok: 'yes' }]) {
  test(`the answer ${JSON.stringify(answer)} is a failure`, async () => {
    assert.equal((await drainOpenBrainQueue([olderRecord('a')], () => answer)).delivered.length, 0)
  })
}

test('a record that failed too often is a dead letter', async () => {
  const { dlq } = await drainOpenBrainQueue([olderRecord('a', { _attempts: 4 })], refuses)
  assert.deepEqual([dlq[0]._status, dlq[0]._attempts], ['failed', 5])
})

test('one failure does not keep the next record from being delivered', async () => {
  const pass = await drainOpenBrainQueue([olderRecord('bad'), olderRecord('good')], ({ content }) => ({
    ok: content === 'good',
  }))
  assert.deepEqual([pass.delivered[0].content, pass.deferred[0].content], ['good', 'bad'])
})

test('the statistics of a pass name its outcome and its caller', async () => {
  const waiting = olderRecord('late', { _nextAttemptAt: '2999-01-01T00:00:00.000Z' })
  const { stats } = await drainOpenBrainQueue([olderRecord('a'), waiting], accepts, { source: 'rest-drain' })
  assert.deepEqual([stats.source, stats.attempted, stats.delivered, stats.deferred], ['rest-drain', 1, 1, 1])
})

test('an empty queue gives an empty pass', async () => {
  assert.deepEqual((await drainOpenBrainQueue([], accepts)).delivered, [])
})

/** A project with this many captures in its queue. */
function filled(t, count = 1) {
  const project = freshProject(t)
  for (let at = 0; at < count; at += 1)
    captureMemory({
      content: `number${at} thing${at} of${at} many${at}`,
      type: 'lesson',
      source: 'forge_sweep',
      cwd: project.cwd,
    })
  return project
}

test('without a store that is set, nothing is drained', async (t) => {
  assert.deepEqual(await autoDrainOpenBrainQueue(filled(t).cwd), { skipped: 'not-configured' })
})

for (const [what, path, text] of [
  ['a server without a url', '.vscode/mcp.json', '{"servers":{"openbrain":{"command":"npx"}}}'],
  [
    'a server that is commented out',
    '.claude/mcp.json',
    '{"mcpServers":{/* "openbrain": {"url":"http://127.0.0.1:9"} */}}',
  ],
  [
    'an address that only has the word in it',
    '.vscode/mcp.json',
    '{"servers":{"other":{"url":"http://openbrain.example/"}}}',
  ],
  ['a file that cannot be parsed', '.vscode/mcp.json', '{"servers":{"openbrain":'],
]) {
  test(`with ${what} there is no destination, and the answer has a hint`, async (t) => {
    const project = filled(t)
    project.write(path, text)
    const { skipped, durationMs, hint } = await autoDrainOpenBrainQueue(project.cwd)
    assert.deepEqual([skipped, typeof durationMs], ['no-config', 'number'])
    assert.match(hint, /openbrain\.url/)
    assert.equal(project.lines(QUEUE).length, 1)
  })
}

test('a store that does not answer is an error that begins with connect', async (t) => {
  const project = filled(t)
  project.write('.vscode/mcp.json', { servers: { openbrain: { url: 'http://127.0.0.1:9/sse' } } })
  const { error, durationMs } = await autoDrainOpenBrainQueue(project.cwd)
  assert.match(error, /^connect: ./)
  assert.equal(typeof durationMs, 'number')
})

test('an empty queue is reported', async (t) => {
  assert.deepEqual(await autoDrainOpenBrainQueue(freshProject(t).cwd, { dispatcher: accepts }), { skipped: 'empty' })
})

test('a dispatcher gets the records as the queue has them', async (t) => {
  const project = filled(t)
  const seen = []
  const answer = await autoDrainOpenBrainQueue(project.cwd, {
    dispatcher: (record) => {
      seen.push(record)
      return { ok: true }
    },
  })
  assert.deepEqual([answer.ok, answer.attempted, answer.delivered, answer.source], [true, 1, 1, 'cli-drain'])
  const [record] = seen
  assert.deepEqual([record._status, record._attempts, record.created_by], ['pending', 0, 'liveguard-auto'])
  assert.match(record.content, /number0/)
})

test('delivered records move from the queue to the archive', async (t) => {
  const project = filled(t, 3)
  await autoDrainOpenBrainQueue(project.cwd, { dispatcher: accepts })
  assert.deepEqual([project.lines(QUEUE).length, project.lines(ARCHIVE).length], [0, 3])
  assert.equal(project.lines(ARCHIVE)[0]._status, 'delivered')
})

test('a pass is recorded', async (t) => {
  const project = filled(t, 2)
  await autoDrainOpenBrainQueue(project.cwd, { dispatcher: accepts, source: 'rest-drain' })
  const [stats] = project.lines('.forge/openbrain-stats.jsonl')
  assert.deepEqual([stats.source, stats.attempted, stats.delivered], ['rest-drain', 2, 2])
})

test('a failed record is deferred and stays in the queue', async (t) => {
  const project = filled(t)
  const answer = await autoDrainOpenBrainQueue(project.cwd, { dispatcher: refuses })
  assert.deepEqual([answer.ok, answer.delivered, answer.deferred], [true, 0, 1])
  assert.equal(project.lines(QUEUE).length, 1)
})

test('a deferred record is not retried before its time', async (t) => {
  const project = filled(t)
  await autoDrainOpenBrainQueue(project.cwd, { dispatcher: refuses })
  const second = await autoDrainOpenBrainQueue(project.cwd, { dispatcher: accepts })
  assert.deepEqual([second.ok, second.attempted, second.deferred], [true, 0, 1])
})

test('a record that reaches the maximum of attempts becomes a dead letter', async (t) => {
  const project = filled(t)
  const answer = await autoDrainOpenBrainQueue(project.cwd, { dispatcher: refuses, maxAttempts: 1 })
  assert.equal(answer.dlq, 1)
  assert.match(project.lines(DEAD_LETTERS)[0]._lastError, /HTTP_503/)
})

test('a batch has at most 50 records of the queue', async (t) => {
  const project = filled(t, 53)
  const answer = await autoDrainOpenBrainQueue(project.cwd, { dispatcher: accepts })
  assert.deepEqual([answer.delivered, answer.deferred], [50, 3])
})

test('the batch size has no upper limit', async (t) => {
  const answer = await autoDrainOpenBrainQueue(filled(t, 3).cwd, { dispatcher: accepts, maxBatch: 1_000_000 })
  assert.equal(answer.delivered, 3)
})

test('a dispatcher that never answers is given up on', async (t) => {
  const answer = await autoDrainOpenBrainQueue(filled(t).cwd, {
    dispatcher: () => new Promise(() => {}),
    timeoutMs: 20,
  })
  assert.deepEqual([answer.ok, answer.deferred], [true, 1])
})

test('a torn line stops no drain and is kept', async (t) => {
  const project = filled(t)
  project.write(QUEUE, `${project.text(QUEUE)}{"_v":1,"content":"half`)
  const answer = await autoDrainOpenBrainQueue(project.cwd, { dispatcher: accepts })
  assert.equal(answer.delivered, 1)
  assert.match(project.text(QUEUE), /half/)
})

test('records that the older tool has queued go to a dispatcher as well', async (t) => {
  const project = freshProject(t)
  project.append(QUEUE, olderRecord('an older thought'))
  const answer = await autoDrainOpenBrainQueue(project.cwd, { dispatcher: accepts })
  assert.deepEqual([answer.ok, answer.delivered], [true, 1])
})

test('without a dispatcher they are set aside, and the answer names the command that adopts them', async (t) => {
  const project = freshProject(t)
  project.write('.forge.json', { openbrain: { url: 'file' } })
  project.append(QUEUE, olderRecord('an older thought'))
  const answer = await autoDrainOpenBrainQueue(project.cwd)
  assert.equal(answer.setAside, 1)
  assert.match(answer.hint, /forge-memory drain --trust/)
})

test('with a store that is set, it is delivered to that', async (t) => {
  const project = filled(t, 2)
  project.write('.forge.json', { openbrain: { url: 'file' } })
  const answer = await autoDrainOpenBrainQueue(project.cwd)
  assert.deepEqual([answer.ok, answer.delivered], [true, 2])
})

for (const cwd of [undefined, null, 7, '', '/nowhere/at/all']) {
  test(`autoDrainOpenBrainQueue(${JSON.stringify(cwd)}) returns an error and never rejects`, async () => {
    const answer = await autoDrainOpenBrainQueue(cwd, { dispatcher: accepts })
    assert.ok(answer.error.length > 0)
    assert.equal(typeof answer.durationMs, 'number')
  })
}
