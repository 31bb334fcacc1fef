import assert from 'node:assert/strict'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import test from 'node:test'
import { createHub, Hub, readHubPort } from '../dist/hub/index.js'
import { captureMemory, publishEvents } from '../dist/index.js'
import { freshMemory, isWindows, sentenceOf } from './support/memory.mjs'
import { refusal, subscribe } from './support/subscriber.mjs'
import { until } from './support/waiting.mjs'

async function freshHub(t, options = {}) {
  const memory = freshMemory(t)
  const hub = await createHub({ port: 0, projectDir: memory.project, ...options })
  t.after(() => hub.close())
  return { memory, hub }
}

const numbersOf = (events) => events.filter(({ n }) => n !== undefined).map(({ n }) => n)
const range = (from, to) => Array.from({ length: to - from }, (_, at) => from + at)

test('a subscriber gets a greeting, the stored events, and then live events', async (t) => {
  const { memory, hub } = await freshHub(t)
  captureMemory({ type: 'lesson', body: 'before', tool: 'forge_sweep' }, memory.options)
  hub.broadcast({ type: 'noted', n: 1 })
  const subscriber = await subscribe(t, hub, { query: { label: 'me' } })
  await subscriber.live()
  const [hello, captured, noted, live] = subscriber.events
  assert.deepEqual([hello.type, hello.version, hello.label, hello.historySize], ['connected', '1.0', 'me', 2])
  assert.match(hello.clientId, /^[0-9a-f-]{36}$/)
  assert.deepEqual([captured.type, captured.seq, captured.thought.content], ['memory-captured', 1, 'before'])
  assert.deepEqual([noted.type, noted.seq, noted.n, live.seq], ['noted', 2, 1, 2])
  hub.broadcast({ type: 'noted', n: 2, timestamp: '2020-01-01T00:00:00.000Z' })
  const [, , , , last] = await subscriber.until((events) => events.length === 5)
  assert.deepEqual([last.n, last.seq, last.timestamp], [2, 3, '2020-01-01T00:00:00.000Z'])
})

test('a client without a label is anonymous, and may set one', async (t) => {
  const { hub } = await freshHub(t)
  const subscriber = await subscribe(t, hub)
  assert.equal((await subscriber.first('connected')).label, 'anonymous')
  subscriber.send({ type: 'set-label', label: 'worker 7' })
  subscriber.send({ type: 'ping' })
  await subscriber.first('pong')
  assert.deepEqual(
    hub.getClients().map(({ label, handles }) => [label, handles]),
    [['worker 7', null]],
  )
})

test('events are on disk in the order of their numbers and survive the hub', async (t) => {
  const { memory, hub } = await freshHub(t)
  for (const n of range(0, 50)) hub.broadcast({ type: 'noted', n })
  await hub.close()
  const next = await createHub({ port: 0, projectDir: memory.project })
  t.after(() => next.close())
  assert.deepEqual(numbersOf(next.getHistory()), range(0, 50))
  assert.deepEqual(numbersOf(next.getHistory(3)), [47, 48, 49])
  assert.deepEqual(next.getHistory(0), [])
  const subscriber = await subscribe(t, next)
  await subscriber.live()
  assert.deepEqual(numbersOf(subscriber.events), range(0, 50))
})

test('a reconnecting client gets exactly the events that it missed', async (t) => {
  const { memory, hub } = await freshHub(t)
  const first = await subscribe(t, hub)
  await first.live()
  for (const n of range(0, 10)) hub.broadcast({ type: 'noted', n })
  await first.until((events) => numbersOf(events).length === 10)
  const { seq } = first.events.at(-1)
  first.ws.close()
  await first.closed
  publishEvents(
    range(10, 700).map((n) => JSON.stringify({ type: 'noted', n })),
    memory.options,
  )
  const second = await subscribe(t, hub, { query: { since: String(seq) } })
  await second.live()
  const hello = await second.first('connected')
  assert.deepEqual([hello.resumed, hello.historySize], [true, 690])
  assert.deepEqual(numbersOf(second.events), range(10, 700))
  const stranger = await subscribe(t, hub, { query: { since: '99999', history: '5' } })
  await stranger.live()
  assert.equal(stranger.events[0].resumed, false)
  assert.deepEqual(numbersOf(stranger.events), range(695, 700))
})

test('rotation, truncation, torn lines and foreign lines neither lose nor duplicate events', async (t) => {
  const memory = freshMemory(t)
  writeFileSync(`${memory.project}/.forge.json`, '{"limits":{"eventsBytes":4096}}')
  const hub = await createHub({ port: 0, projectDir: memory.project })
  t.after(() => hub.close())
  const subscriber = await subscribe(t, hub)
  await subscriber.live()
  const file = memory.forge('hub-events.jsonl')
  const has = (count) => subscriber.until((events) => numbersOf(events).length >= count, `${count} events`)
  for (const n of range(0, 200)) {
    publishEvents([JSON.stringify({ type: 'noted', n })], memory.options)
    if (n % 10 === 9) await has(n + 1)
  }
  assert.ok(existsSync(memory.forge('hub-events.1.jsonl')))
  truncateSync(file, 0)
  publishEvents(['{"type":"noted","n":200}'], memory.options)
  await has(201)
  appendFileSync(file, '{"type":"noted","n":2')
  publishEvents(['{"type":"noted","n":201}'], memory.options)
  appendFileSync(file, '{"type":"old-tool","n":202}\nno json\n{"n":1}\n')
  publishEvents(['{"type":"noted","n":203}'], memory.options)
  await has(204)
  assert.deepEqual(numbersOf(subscriber.events), range(0, 204))
  assert.equal(subscriber.of('events-lost').length, 0)
})

test('events that no client handles are neither sent nor serialized', async (t) => {
  const { hub } = await freshHub(t)
  const worker = await subscribe(t, hub, { query: { handles: 'wanted,plan-*' } })
  const all = await subscribe(t, hub)
  await Promise.all([worker.live(), all.live()])
  for (const type of ['wanted', 'unwanted', 'plan-started', 'planned']) hub.broadcast({ type })
  await all.first('planned')
  hub.broadcast({ type: 'wanted', last: true })
  await worker.until((events) => events.some(({ last }) => last))
  assert.deepEqual(
    worker.events.map(({ type }) => type),
    ['connected', 'live', 'wanted', 'plan-started', 'wanted'],
  )
  all.ws.close()
  await all.closed
  let written = 0
  const event = (type) => ({
    type,
    toJSON: () => {
      written += 1
      return { type }
    },
  })
  hub.broadcast(event('unwanted'), { durable: false })
  assert.equal(written, 0)
  hub.broadcast(event('wanted'), { durable: false })
  assert.equal(written, 1)
})

test('a client may handle other types than before', async (t) => {
  const { hub } = await freshHub(t)
  const worker = await subscribe(t, hub, { query: { handles: 'a' } })
  await worker.live()
  worker.send({ type: 'set-handles', handles: ['b'] })
  assert.deepEqual((await worker.first('handles')).handles, ['b'])
  for (const type of ['a', 'b']) hub.broadcast({ type })
  await worker.first('b')
  worker.send({ type: 'set-handles', handles: null })
  await worker.until((events) => events.filter(({ type }) => type === 'handles').length === 2)
  hub.broadcast({ type: 'c' })
  await worker.first('c')
  assert.equal(worker.of('a').length, 0)
})

test('listeners in the process get every event, even when another listener throws', async (t) => {
  const { memory, hub } = await freshHub(t)
  const heard = []
  hub.on('event', () => {
    throw new Error('mine')
  })
  hub.on('event', ({ type }) => heard.push(`any ${type}`))
  hub.on('memory-captured', ({ thought }) => heard.push(thought.content))
  const failures = []
  hub.on('failed', (error) => failures.push(error.message))
  captureMemory({ type: 'lesson', body: 'from the engine' }, memory.options)
  hub.pump()
  assert.deepEqual(heard, ['any memory-captured', 'from the engine'])
  assert.deepEqual(failures, ['mine'])
})

test('a client that does not read is dropped at a mebibyte, with a reason, and does not slow the others', async (t) => {
  const { hub } = await freshHub(t)
  const drops = []
  hub.on('client-dropped', (drop) => drops.push(drop))
  const reader = await subscribe(t, hub, { query: { label: 'reader', history: '0' } })
  const stalled = await subscribe(t, hub, { query: { label: 'stalled', history: '0' } })
  await Promise.all([reader.live(), stalled.live()])
  stalled.ws.pause()
  const text = 'x'.repeat(50_000)
  let most = 0
  for (const n of range(0, 400)) {
    hub.broadcast({ type: 'noted', n, text }, { durable: false })
    for (const client of hub.clients.values())
      if (client.label === 'stalled') most = Math.max(most, client.waitingBytes)
    if (n % 8 === 7) await reader.until((events) => numbersOf(events).length > n)
  }
  await reader.until((events) => numbersOf(events).length === 400)
  const told = await reader.first('client-dropped')
  assert.deepEqual([told.label, drops.length], ['stalled', 1])
  assert.match(told.reason, /too slow/)
  assert.ok(told.bufferedBytes > 0 && most <= 1 << 20, `${most} bytes were held`)
  stalled.ws.resume()
  const { code } = await stalled.closed
  assert.ok([1013, 1006].includes(code), String(code))
  assert.deepEqual(
    hub.getClients().map(({ label }) => label),
    ['reader'],
  )
})

test('a foreign Origin, a foreign Host, a wrong token and a wrong path are refused with a reason', async (t) => {
  const { hub } = await freshHub(t)
  const own = `http://127.0.0.1:${hub.port}`
  for (const [options, status, code] of [
    [{ headers: { origin: 'http://evil.example' } }, 403, 'FORBIDDEN'],
    [{ headers: { origin: `http://evil.example:${hub.port}` } }, 403, 'FORBIDDEN'],
    [{ headers: { origin: 'null' } }, 403, 'FORBIDDEN'],
    [{ headers: { origin: own.replace('http', 'https') } }, 403, 'FORBIDDEN'],
    [{ headers: { host: `evil.example:${hub.port}` } }, 403, 'FORBIDDEN'],
    [{ headers: { host: '127.0.0.1:1' } }, 403, 'FORBIDDEN'],
    [{ token: null }, 401, 'UNAUTHORIZED'],
    [{ token: 'guess' }, 401, 'UNAUTHORIZED'],
    [{ token: `${hub.token}x` }, 401, 'UNAUTHORIZED'],
    [{ path: '/other' }, 404, 'NOT_FOUND'],
  ]) {
    const refused = await refusal(hub, options)
    assert.deepEqual([refused.status, refused.code], [status, code], JSON.stringify(options))
    assert.ok(refused.message.length > 10)
  }
  for (const options of [
    { headers: { origin: own } },
    { headers: { origin: own.replace('127.0.0.1', 'localhost') } },
    { token: null, headers: { authorization: `Bearer ${hub.token}` } },
  ]) {
    const subscriber = await subscribe(t, hub, options)
    await subscriber.live()
  }
})

test('malformed messages are refused with a reason, and other clients are not affected', async (t) => {
  const { hub } = await freshHub(t)
  const [bad, good] = [await subscribe(t, hub), await subscribe(t, hub)]
  await Promise.all([bad.live(), good.live()])
  const messages = [
    ['{"type":', 'MALFORMED_JSON'],
    ['[1]', 'MALFORMED_JSON'],
    ['"text"', 'MALFORMED_JSON'],
    [Buffer.from([1, 2, 3]), 'MALFORMED_JSON'],
    ['{}', 'INVALID_INPUT'],
    ['{"type":7}', 'INVALID_INPUT'],
    ['{"type":"set-label","label":{"a":1}}', 'INVALID_INPUT'],
    [JSON.stringify({ type: 'set-label', label: 'x'.repeat(300) }), 'INVALID_INPUT'],
    ['{"type":"set-handles","handles":"all"}', 'INVALID_INPUT'],
    ['{"type":"set-handles","handles":[1]}', 'INVALID_INPUT'],
    ['{"type":"launch-missiles"}', 'UNKNOWN_MESSAGE'],
  ]
  for (const [message] of messages) bad.ws.send(message)
  await bad.until((events) => events.filter(({ type }) => type === 'refused').length === messages.length)
  assert.deepEqual(
    bad.of('refused').map(({ code }) => code),
    messages.map(([, code]) => code),
  )
  assert.ok(bad.of('refused').every(({ reason }) => reason.length > 5))
  hub.broadcast({ type: 'noted', n: 1 })
  await Promise.all([bad.first('noted'), good.first('noted')])
  for (let count = 0; count < 120; count += 1) bad.send('{}')
  assert.equal((await bad.closed).code, 1008)
  hub.broadcast({ type: 'noted', n: 2 })
  await good.until((events) => numbersOf(events).length === 2)
})

test('a frame of 100 MiB ends its own connection before it is read', async (t) => {
  const { hub } = await freshHub(t)
  const [bad, good] = [await subscribe(t, hub), await subscribe(t, hub)]
  await Promise.all([bad.live(), good.live()])
  bad.ws.send(Buffer.alloc(100 << 20, 0x61).toString('latin1'))
  assert.ok([1009, 1006].includes((await bad.closed).code))
  const raw = connect(hub.port, '127.0.0.1')
  t.after(() => raw.destroy())
  raw.write(`GET /hub?token=${hub.token} HTTP/1.1\r\nHost: 127.0.0.1:${hub.port}\r\nUpgrade: websocket\r\n`)
  raw.write('Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n')
  raw.write(Buffer.from([0xf3, 0xff, 1, 2, 3, 4, 5, 6]))
  await new Promise((resolve) => {
    raw.on('error', resolve)
    raw.on('close', resolve)
    raw.resume()
  })
  hub.broadcast({ type: 'noted', n: 1 })
  await good.first('noted')
})

test('an invalid event is refused before it is processed', async (t) => {
  const { hub } = await freshHub(t)
  const subscriber = await subscribe(t, hub)
  await subscriber.live()
  const circle = { type: 'a' }
  circle.self = circle
  const events = [undefined, null, 'a', [], {}, { type: '' }, { type: 7 }, { type: 'x'.repeat(200) }, { type: 'a\nb' }]
  events.push({ type: 'a', n: 1n }, circle, { type: 'a', timestamp: 'yesterday' }, { type: 'a', version: {} })
  events.push({ type: 'a', text: 'x'.repeat(600_000) })
  for (const event of events) {
    assert.throws(() => hub.broadcast(event), { code: 'INVALID_INPUT' })
    assert.throws(() => hub.broadcast(event, { durable: false }), { code: 'INVALID_INPUT' })
  }
  hub.broadcast({ type: 'fine' })
  await subscriber.first('fine')
  assert.deepEqual(hub.getHistory().length, 1)
  const { memory } = await freshHub(t)
  for (const event of ['', '[]', '{}', '{"type":""}', '{"type":"a"', '{"type":"a"} {}', '{"type":"a","timestamp":7}']) {
    assert.throws(() => publishEvents(['{"type":"b"}', event], memory.options), { code: 'INVALID_INPUT' }, event)
  }
  assert.ok(!existsSync(memory.forge('hub-events.jsonl')), 'one bad event of a batch, and none is taken')
})

test('requests go to the responder of their topic', async (t) => {
  const { hub } = await freshHub(t)
  hub.onAsk('double', (n, { topic, requestId }) => ({ n: n * 2, topic, isNamed: requestId.startsWith('req-') }))
  hub.onAsk('fail', () => {
    throw new Error('no')
  })
  hub.onAsk('never', () => new Promise(() => undefined))
  assert.throws(() => hub.onAsk('double', () => 1), { code: 'INVALID_INPUT' })
  assert.deepEqual(hub.listResponders(), ['double', 'fail', 'never'])
  assert.deepEqual(await hub.ask('double', 21), { ok: true, payload: { n: 42, topic: 'double', isNamed: true } })
  assert.deepEqual(await hub.ask('fail'), { ok: false, error: { code: 'responder-error', message: 'no' } })
  assert.equal((await hub.ask('nobody')).error.code, 'no-responder')
  await assert.rejects(hub.ask('never', 1, { timeoutMs: 20 }), { code: 'ask-timeout', topic: 'never' })
  const pending = hub.ask('never', 1)
  const rejected = assert.rejects(pending, { code: 'hub-closed', topic: 'never' })
  for (let count = 0; count < 300; count += 1) await hub.ask('double', count)
  assert.deepEqual(hub.getHistory(), [], 'questions are told live and not stored')
  assert.ok(hub.removeAskHandler('double') && !hub.removeAskHandler('double'))
  await hub.close()
  await rejected
  await assert.rejects(hub.ask('fail'), /hub-closed/)
  assert.throws(() => hub.broadcast({ type: 'late' }), { code: 'hub-closed' })
})

test("the ports file contains the hub's port, is private, and is removed with the hub", async (t) => {
  const { memory, hub } = await freshHub(t)
  const path = memory.forge('server-ports.json')
  const ports = JSON.parse(readFileSync(path, 'utf8'))
  assert.deepEqual(Object.keys(ports), ['ws', 'pid', 'startedAt', 'token'])
  assert.deepEqual([ports.ws, ports.pid, ports.token], [hub.port, process.pid, hub.token])
  if (!isWindows) assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.deepEqual(readHubPort(memory.project), ports)
  const second = await createHub({ port: 0, projectDir: memory.project })
  t.after(() => second.close())
  assert.equal(readHubPort(memory.project).ws, hub.port, 'the first one stays the one that is found')
  await hub.close()
  await until(() => readHubPort(memory.project)?.ws === second.port, 'the next one takes its place')
  await second.close()
  assert.ok(!existsSync(path))
  assert.equal(readHubPort(memory.project), null)
})

test('a stale or invalid ports file counts as no hub', (t) => {
  const memory = freshMemory(t)
  captureMemory({ type: 'lesson', body: 'x' }, memory.options)
  const ports = { ws: 3101, pid: process.pid, startedAt: new Date().toISOString(), token: 't' }
  for (const text of [JSON.stringify(ports), '{', '[]', 'null', '{"ws":"x"}', '{"ws":99999}', '']) {
    writeFileSync(memory.forge('server-ports.json'), text)
    assert.equal(readHubPort(memory.project), null, text)
  }
})

test('a port that is in use is skipped, and an invalid port is refused', async (t) => {
  const { memory, hub } = await freshHub(t)
  const next = await createHub({ port: hub.port, projectDir: memory.project })
  t.after(() => next.close())
  assert.ok(next.port > hub.port && next.port <= hub.port + 9)
  for (const port of [-1, 70_000, 1.5, Number.NaN]) {
    await assert.rejects(createHub({ port, projectDir: memory.project }), { code: 'INVALID_INPUT' })
  }
})

test('a hub whose events cannot be stored still sends them to its clients', async (t) => {
  const { memory, hub } = await freshHub(t)
  const subscriber = await subscribe(t, hub)
  await subscriber.live()
  rmSync(memory.forge('hub-events.jsonl'), { force: true })
  mkdirSync(memory.forge('hub-events.jsonl'))
  const failures = []
  hub.on('unsaved', (error) => failures.push(error.code))
  hub.broadcast({ type: 'noted', n: 1 })
  const { seq } = await subscriber.first('noted')
  assert.deepEqual([seq, failures, hub.unsaved], [undefined, ['UNSAFE_PATH'], 1])
})

test('subscribers of two hubs get the captures of all processes, in one order', async (t) => {
  const { memory, hub } = await freshHub(t)
  const other = new Hub({ projectDir: memory.project })
  t.after(() => other.close())
  const heard = []
  other.on('event', ({ seq }) => heard.push(seq))
  const subscriber = await subscribe(t, hub)
  await subscriber.live()
  for (const number of range(0, 40)) captureMemory({ type: 'lesson', body: sentenceOf(number) }, memory.options)
  await subscriber.until((events) => events.filter(({ type }) => type === 'memory-captured').length === 40)
  other.pump()
  assert.deepEqual(heard, range(1, 41))
})
