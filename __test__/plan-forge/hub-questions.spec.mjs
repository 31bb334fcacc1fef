// Questions between the parts of one process: `ask` and `onAsk` of the hub.
import assert from 'node:assert/strict'
import test from 'node:test'
import { warnings } from '../support/plan-forge.mjs'
import { bareHub, EVENTS } from '../support/plan-forge-hub.mjs'
import { until } from '../support/waiting.mjs'

test('a question is answered with its payload', async (t) => {
  const { hub } = bareHub(t)
  hub.onAsk('gate', async (payload) => ({ proceed: payload.slice }))
  assert.deepEqual(await hub.ask('gate', { slice: 1 }), { ok: true, payload: { proceed: 1 } })
})

test('a responder learns topic, request, correlation and time', async (t) => {
  const { hub } = bareHub(t)
  const heard = []
  hub.onAsk('gate', (_, details) => heard.push(details))
  await hub.ask('gate', {}, { correlationId: 'c1' })
  assert.match(heard[0].requestId, /^req-/)
  assert.deepEqual([heard[0].topic, heard[0].correlationId], ['gate', 'c1'])
  assert.ok(Date.parse(heard[0].ts) > 0)
})

test('a topic has one responder, and the error ends with the topic', (t) => {
  const { hub } = bareHub(t)
  hub.onAsk('once', () => 1)
  assert.throws(() => hub.onAsk('once', () => 2), /Responder already registered for topic: once$/)
})

test('a request without a responder is rejected at once', async (t) => {
  const { ok, error } = await bareHub(t).hub.ask('nobody')
  assert.deepEqual([ok, error.code], [false, 'no-responder'])
})

for (const [what, handler] of [
  [
    'throws',
    () => {
      throw new Error('no')
    },
  ],
  [
    'rejects',
    async () => {
      throw new Error('no')
    },
  ],
]) {
  test(`a responder that ${what} is a responder-error`, async (t) => {
    const { hub } = bareHub(t)
    hub.onAsk('gate', handler)
    assert.deepEqual(await hub.ask('gate'), { ok: false, error: { code: 'responder-error', message: 'no' } })
  })
}

test('a responder is not called before ask returns', (t) => {
  const { hub } = bareHub(t)
  let called = false
  hub.onAsk('gate', () => {
    called = true
  })
  hub.ask('gate')
  assert.equal(called, false)
})

test('a question that takes too long is rejected, and its late answer dropped with a warning', async (t) => {
  const { hub } = bareHub(t)
  let answer
  hub.onAsk('slow', () => new Promise((resolve) => (answer = resolve)))
  const said = await warnings(async () => {
    await assert.rejects(hub.ask('slow', {}, { timeoutMs: 10 }), { code: 'ask-timeout', topic: 'slow' })
    assert.equal(hub._pendingAsks.size, 0)
    answer('late')
    await new Promise((resolve) => setImmediate(resolve))
  })
  assert.match(said.join('\n'), /late respond dropped: slow/)
})

test('a second responder is refused, and the topic is in the message', (t) => {
  const { hub } = bareHub(t)
  hub.onAsk('gate', () => 1)
  assert.throws(() => hub.onAsk('gate', () => 2), /gate/)
  hub.removeAskHandler('gate')
  hub.onAsk('gate', () => 2)
  assert.deepEqual(hub.listResponders(), ['gate'])
})

test('several questions are answered at once, also large ones', async (t) => {
  const { hub } = bareHub(t)
  hub.onAsk('echo', (payload) => payload)
  const texts = ['x'.repeat(100_000), 'b', 'c']
  const answers = await Promise.all(texts.map((text) => hub.ask('echo', text)))
  assert.deepEqual(
    answers.map(({ payload }) => payload),
    texts,
  )
})

test('a question leaves a span with name, topic, time and outcome', async (t) => {
  const { hub } = bareHub(t)
  hub.onAsk('gate', () => 1)
  await hub.ask('gate')
  const [span] = hub._askSpans
  assert.deepEqual([span.name, span.topic, span.ok], ['hub.ask', 'gate', true])
  assert.equal(typeof span.durationMs, 'number')
})

test('questions push no event out of the ring or into the file', async (t) => {
  const { project, hub } = bareHub(t)
  hub.broadcast({ type: 'kept' })
  hub.onAsk('gate', () => 1)
  for (let times = 0; times < 600; times += 1) await hub.ask('gate')
  assert.deepEqual(
    hub.eventHistory.map(({ type }) => type),
    ['kept'],
  )
  assert.equal(project.lines(EVENTS).length, 1)
  assert.ok(hub._askSpans.length <= 100)
})

test('a question after close is rejected with hub-closed', async (t) => {
  const { hub } = bareHub(t)
  await hub.close()
  await assert.rejects(hub.ask('gate'), /hub-closed/)
})

test('a question that takes too long names its topic and its request', async (t) => {
  const { hub } = bareHub(t)
  hub.onAsk('slow', () => new Promise(() => {}))
  await assert.rejects(hub.ask('slow', {}, { timeoutMs: 5 }), (error) => {
    assert.deepEqual([error.code, error.topic], ['ask-timeout', 'slow'])
    assert.match(error.requestId, /^req-/)
    return true
  })
})

test('a span has the correlation and the request of its question, also when it failed', async (t) => {
  const { hub } = bareHub(t)
  hub.onAsk('gate', () => Promise.reject(new Error('no')))
  await hub.ask('gate', {}, { correlationId: 'c1' })
  const [{ ok, correlationId, requestId }] = hub._askSpans
  assert.deepEqual([ok, correlationId], [false, 'c1'])
  assert.match(requestId, /^req-/)
})

test('responders are kept by topic', (t) => {
  const { hub } = bareHub(t)
  const handler = () => 1
  hub.onAsk('gate', handler)
  assert.deepEqual([[...hub._responders.keys()], hub.removeAskHandler('nobody')], [['gate'], false])
})

test('a question may wait arbitrarily long', async (t) => {
  const { hub } = bareHub(t)
  let answer
  hub.onAsk('slow', () => new Promise((resolve) => (answer = resolve)))
  const asked = hub.ask('slow', {}, { timeoutMs: Number.POSITIVE_INFINITY })
  const begun = performance.now()
  // Node makes one millisecond of a time that is too large for its timers.
  await until(() => performance.now() > begun + 10)
  answer('late')
  assert.deepEqual(await asked, { ok: true, payload: 'late' })
})

test('a request with an invalid timeout is rejected, and close works afterwards', async (t) => {
  const { hub } = bareHub(t)
  hub.onAsk('gate', () => 1)
  await assert.rejects(hub.ask('gate', {}, { timeoutMs: 1n }), TypeError)
  assert.equal(hub._pendingAsks.size, 0)
  await hub.close()
})
