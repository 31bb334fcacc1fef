// The hub by the older tool's names: a soft and synchronous broadcast, the ring, runs, questions, ports, and clients without a token.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import test from 'node:test'
import { publishEvents } from 'forge-memory'
import { createHub, Hub, readHubPort } from 'forge-memory/plan-forge'
import WebSocket, { WebSocketServer } from 'ws'
import { freshProject, warnings } from '../support/plan-forge.mjs'
import { until } from '../support/waiting.mjs'

const EVENTS = '.forge/hub-events.jsonl'
const RUN_LINE = (type, data, at = '2026-11-20T10:00:00.000Z') => `[${at}] ${type}: ${JSON.stringify(data)}\n`

/** A hub without sockets, as tests of the older tool make one. */
function bareHub(t) {
  const project = freshProject(t)
  const wss = { on: () => wss, close: () => undefined }
  const hub = new Hub(wss, 3101, project.cwd)
  t.after(() => hub.close())
  return { project, hub }
}

/** A hub that listens. What it says at its start is of no interest here. */
async function openHub(t, options = {}, prepare = () => undefined) {
  const project = freshProject(t)
  prepare(project)
  const made = {}
  const said = await warnings(async () => {
    made.hub = await createHub({ port: 0, cwd: project.cwd, ...options })
  })
  t.after(() => made.hub.close())
  return { project, hub: made.hub, said }
}

/** Connects as a client; resolves with what comes in, or with the status that refuses it. */
function client(t, port, { query = '', headers = {} } = {}) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/${query}`, { headers })
  t.after(() => socket.terminate())
  const events = []
  socket.on('message', (data) => events.push(JSON.parse(data)))
  return new Promise((resolve) => {
    socket.once('open', () => resolve({ socket, events }))
    socket.once('unexpected-response', (_, response) => resolve({ status: response.statusCode }))
    socket.once('error', () => undefined)
  })
}

const seen = (events, type) => until(() => events.find((event) => event.type === type), `an event ${type}`)

test('an event is one line of the file when broadcast returns', (t) => {
  const { project, hub } = bareHub(t)
  hub.broadcast({ type: 'slice-started', data: { n: 1 } })
  const [event] = project.lines(EVENTS)
  assert.deepEqual([event.type, event.data, event.version], ['slice-started', { n: 1 }, '1.0'])
  assert.ok(Date.parse(event.timestamp) > 0)
})

test('broadcast returns nothing', (t) => assert.equal(bareHub(t).hub.broadcast({ type: 'a' }), undefined))

test('broadcast makes .forge where there is none', (t) => {
  const { project, hub } = bareHub(t)
  hub.broadcast({ type: 'a' })
  assert.ok(project.has('.forge'))
})

test('each event is one line, in order', (t) => {
  const { project, hub } = bareHub(t)
  for (let n = 0; n < 20; n += 1) hub.broadcast({ type: 'a', n })
  assert.deepEqual(
    project.lines(EVENTS).map(({ n }) => n),
    Array.from({ length: 20 }, (_, n) => n),
  )
})

test('an event is in the ring when broadcast returns', (t) => {
  const { hub } = bareHub(t)
  hub.broadcast({ type: 'a', n: 1 })
  assert.deepEqual(
    hub.eventHistory.map(({ type, n }) => [type, n]),
    [['a', 1]],
  )
})

test('the fields of the caller win over version and timestamp', (t) => {
  const { hub } = bareHub(t)
  hub.broadcast({ type: 'a', version: '9', timestamp: '2020-01-01T00:00:00.000Z' })
  assert.deepEqual([hub.eventHistory[0].version, hub.eventHistory[0].timestamp], ['9', '2020-01-01T00:00:00.000Z'])
})

test('the ring has the newest 500', (t) => {
  const { hub } = bareHub(t)
  for (let n = 0; n < 510; n += 1) hub.broadcast({ type: 'a', n })
  assert.deepEqual([hub.eventHistory.length, hub.eventHistory[0].n, hub.eventHistory.at(-1).n], [500, 10, 509])
})

test('a file that cannot be written costs neither the ring nor the caller anything', (t) => {
  const { hub } = bareHub(t)
  hub._appendDurableEvent = () => {
    throw new Error('full')
  }
  for (let n = 0; n < 3; n += 1) hub.broadcast({ type: 'a', n })
  assert.equal(hub.eventHistory.length, 3)
  assert.equal(hub.unsaved, 3)
})

test('an event of another process comes into the ring once', async (t) => {
  const { project, hub } = bareHub(t)
  hub.broadcast({ type: 'ours' })
  project.append(EVENTS, { version: '1.0', timestamp: new Date().toISOString(), type: 'theirs' })
  await until(() => hub.eventHistory.some(({ type }) => type === 'theirs'), 'the event of the other process')
  assert.deepEqual(
    hub.eventHistory.map(({ type }) => type),
    ['ours', 'theirs'],
  )
})

test('a run that starts is in the ring once, with its preload behind it', async (t) => {
  const { hub } = bareHub(t)
  hub.broadcast({ type: 'run-started', plan: { name: 'Phase-1', slices: ['Add tests'] } })
  await until(() => hub.eventHistory.some(({ type }) => type === 'memory-preload'), 'the preload')
  assert.deepEqual(
    hub.eventHistory.map(({ type }) => type),
    ['run-started', 'memory-preload'],
  )
})

const circular = { type: 'circular' }
circular.self = circular
for (const [what, event] of [
  ['without a type', { data: 1 }],
  ['with a type that is a number', { type: 7 }],
  ['with an empty type', { type: '' }],
  ['that is too large', { type: 'a', data: 'x'.repeat(600_000) }],
  ['that refers to itself', circular],
  ['with a number beyond JSON', { type: 'a', n: 1n }],
  ['that is null', null],
  ['that is nothing', undefined],
  ['that is a text', 'a'],
  ['with a time that is none', { type: 'a', timestamp: 'soon' }],
]) {
  test(`an event ${what} is warned of and not thrown at the caller`, async (t) => {
    const { project, hub } = bareHub(t)
    const said = await warnings(() => hub.broadcast(event))
    assert.match(said.join('\n'), /the event was not broadcast: ./)
    assert.deepEqual([hub.eventHistory.length, project.has(EVENTS)], [0, false])
  })
}

test('after close an event is warned of and not thrown', async (t) => {
  const { project, hub } = bareHub(t)
  await hub.close()
  const said = await warnings(() => hub.broadcast({ type: 'late' }))
  assert.match(said.join('\n'), /closed/)
  assert.equal(project.has(EVENTS), false)
})

test('getHistory answers the last of the ring; 0 is all of it', (t) => {
  const { hub } = bareHub(t)
  for (let n = 0; n < 5; n += 1) hub.broadcast({ type: 'a', n })
  assert.deepEqual(
    hub.getHistory(2).map(({ n }) => n),
    [3, 4],
  )
  assert.equal(hub.getHistory(0).length, 5)
  assert.equal(hub.getHistory().length, 5)
})

test('without runs there is nothing to read', (t) => {
  assert.deepEqual(bareHub(t).hub.rehydrateFromRuns(), { runsScanned: 0, eventsLoaded: 0 })
})

test('a run is read with its type, data, time and where it comes from', (t) => {
  const { project, hub } = bareHub(t)
  project.write('.forge/runs/2026-11-20/events.log', RUN_LINE('slice-started', { n: 1 }))
  assert.deepEqual(hub.rehydrateFromRuns(), { runsScanned: 1, eventsLoaded: 1 })
  assert.deepEqual(hub.eventHistory, [
    {
      version: '1.0',
      type: 'slice-started',
      data: { n: 1 },
      timestamp: '2026-11-20T10:00:00.000Z',
      source: 'rehydrate',
    },
  ])
})

test('the newest runs are read, the oldest of them first', (t) => {
  const { project, hub } = bareHub(t)
  for (const run of ['r1', 'r2', 'r3', 'r4']) project.write(`.forge/runs/${run}/events.log`, RUN_LINE(run, {}))
  assert.equal(hub.rehydrateFromRuns(3).runsScanned, 3)
  assert.deepEqual(
    hub.eventHistory.map(({ type }) => type),
    ['r2', 'r3', 'r4'],
  )
})

test('how many runs are read can be said', (t) => {
  const { project, hub } = bareHub(t)
  for (const run of ['r1', 'r2']) project.write(`.forge/runs/${run}/events.log`, RUN_LINE(run, {}))
  hub.rehydrateFromRuns(1)
  assert.deepEqual(
    hub.eventHistory.map(({ type }) => type),
    ['r2'],
  )
})

test('a run without a log counts as scanned', (t) => {
  const { project, hub } = bareHub(t)
  project.write('.forge/runs/r1/summary.json', '{}')
  assert.deepEqual(hub.rehydrateFromRuns(), { runsScanned: 1, eventsLoaded: 0 })
})

for (const line of ['garbage', '[time] type', '[time] type: {bad', '', '{"type":"a"}']) {
  test(`the line ${JSON.stringify(line)} of a log is passed over`, (t) => {
    const { project, hub } = bareHub(t)
    project.write('.forge/runs/r1/events.log', `${line}\n${RUN_LINE('good', {})}`)
    assert.equal(hub.rehydrateFromRuns().eventsLoaded, 1)
  })
}

test('types with dots are read', (t) => {
  const { project, hub } = bareHub(t)
  project.write('.forge/runs/r1/events.log', RUN_LINE('pforge.foundry.quota', {}))
  hub.rehydrateFromRuns()
  assert.equal(hub.eventHistory[0].type, 'pforge.foundry.quota')
})

test('of long logs the newest 500 are kept', (t) => {
  const { project, hub } = bareHub(t)
  project.write('.forge/runs/r1/events.log', Array.from({ length: 600 }, (_, n) => RUN_LINE('a', { n })).join(''))
  hub.rehydrateFromRuns()
  assert.deepEqual([hub.eventHistory.length, hub.eventHistory[0].data.n], [500, 100])
})

test('reading runs writes and broadcasts nothing', (t) => {
  const { project, hub } = bareHub(t)
  project.write('.forge/runs/r1/events.log', RUN_LINE('a', {}))
  hub.rehydrateFromRuns()
  assert.equal(project.has(EVENTS), false)
})

test('a hub has read the newest runs and the event file when it listens', async (t) => {
  const { hub } = await openHub(t, {}, (project) => {
    project.write('.forge/runs/r1/events.log', RUN_LINE('from-run', {}))
    publishEvents(['{"type":"from-file"}'], project.options)
  })
  assert.deepEqual(
    hub.eventHistory.map(({ type }) => type),
    ['from-run', 'from-file'],
  )
})

test('a client gets the acknowledgement first, then the runs, then the file, then what happens', async (t) => {
  const { hub } = await openHub(t, {}, (project) => {
    project.write('.forge/runs/r1/events.log', RUN_LINE('from-run', { n: 1 }))
    publishEvents(['{"type":"from-file"}'], project.options)
  })
  const { events } = await client(t, hub.port, { query: `?token=${hub.token}&label=test` })
  await seen(events, 'live')
  hub.broadcast({ type: 'now' })
  await seen(events, 'now')
  assert.deepEqual(
    events.map(({ type }) => type),
    ['connected', 'from-run', 'from-file', 'live', 'now'],
  )
  const [first] = events
  assert.deepEqual([first.version, first.label, first.historySize], ['1.0', 'test', 2])
  assert.ok(first.clientId && first.timestamp)
})

test('a label that is missing is anonymous, and set-label changes it', async (t) => {
  const { hub } = await openHub(t)
  const { socket, events } = await client(t, hub.port, { query: `?token=${hub.token}` })
  await seen(events, 'connected')
  assert.equal(hub.getClients()[0].label, 'anonymous')
  socket.send(JSON.stringify({ type: 'set-label', label: 'dashboard' }))
  await until(() => hub.getClients()[0].label === 'dashboard', 'the new label')
})

test('clients are listed with id, label and time, and kept in a map', async (t) => {
  const { hub } = await openHub(t)
  const { events } = await client(t, hub.port, { query: `?token=${hub.token}` })
  await seen(events, 'connected')
  const [{ clientId, connectedAt }] = hub.getClients()
  assert.ok(hub.clients.has(clientId) && Date.parse(connectedAt) > 0)
})

test('a server of the caller gets the same events, behind the same checks', async (t) => {
  const project = freshProject(t)
  const wss = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(wss, 'listening')
  const { port } = wss.address()
  const hub = new Hub(wss, port, project.cwd)
  t.after(() => hub.close())
  const stranger = new WebSocket(`ws://127.0.0.1:${port}/`)
  const [code] = await once(stranger, 'close')
  assert.equal(code, 1008)
  const { events } = await client(t, port, { query: `?token=${hub.token}` })
  await seen(events, 'live')
  hub.broadcast({ type: 'now' })
  await seen(events, 'now')
})

test('without the token nobody is let in, unless that was asked for', async (t) => {
  const { hub, said } = await openHub(t)
  assert.equal((await client(t, hub.port)).status, 401)
  assert.deepEqual(said, [])
})

test('auth local lets clients of this machine in without a token, and says so at the start', async (t) => {
  const { hub, said } = await openHub(t, { auth: 'local' })
  const { events } = await client(t, hub.port, { query: '?label=dashboard' })
  await seen(events, 'connected')
  assert.match(said.join('\n'), new RegExp(`127\\.0\\.0\\.1:${hub.port}.*no token`))
})

for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
  test(`auth local admits the dashboard of ${host} on the neighbouring port`, async (t) => {
    const { hub } = await openHub(t, { auth: 'local' })
    for (const port of [3100, hub.port - 1, hub.port]) {
      const { events } = await client(t, hub.port, { headers: { origin: `http://${host}:${port}` } })
      await seen(events, 'connected')
    }
  })
}

for (const origin of [
  'http://evil.example',
  'http://evil.example:3100',
  'https://localhost:3100',
  'http://localhost:9',
  'http://localhost.evil.example:3100',
  'http://127.0.0.1.evil.example:3100',
  'null',
  'file://',
]) {
  test(`auth local keeps pages of ${origin} out`, async (t) => {
    const { hub } = await openHub(t, { auth: 'local' })
    assert.equal((await client(t, hub.port, { headers: { origin } })).status, 403)
  })
}

for (const host of ['evil.example', 'evil.example:3101', 'localhost.evil.example', '']) {
  test(`auth local keeps out what was meant for the host "${host}" (DNS rebinding)`, async (t) => {
    const { hub } = await openHub(t, { auth: 'local' })
    const socket = connect(hub.port, '127.0.0.1')
    t.after(() => socket.destroy())
    const named = host === '' ? '' : `Host: ${host}\r\n`
    socket.write(
      `GET / HTTP/1.1\r\n${named}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\n\r\n`,
    )
    const [answer] = await once(socket, 'data')
    assert.match(String(answer), /^HTTP\/1\.1 40[03]/)
  })
}

for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.com']) {
  test(`auth local is refused for ${host}`, async (t) => {
    const { cwd } = freshProject(t)
    await assert.rejects(createHub({ port: 0, cwd, host, auth: 'local' }), { code: 'INVALID_INPUT', message: /auth/ })
  })
}

test('an auth that there is not is refused', async (t) => {
  const { cwd } = freshProject(t)
  await assert.rejects(createHub({ port: 0, cwd, auth: 'none' }), { code: 'INVALID_INPUT' })
})

test('the port of the dashboard can be another one', async (t) => {
  process.env.PLAN_FORGE_HTTP_PORT = '4567'
  t.after(() => delete process.env.PLAN_FORGE_HTTP_PORT)
  const { hub } = await openHub(t, { auth: 'local' })
  const { events } = await client(t, hub.port, { headers: { origin: 'http://localhost:4567' } })
  await seen(events, 'connected')
  assert.equal((await client(t, hub.port, { headers: { origin: 'http://localhost:3100' } })).status, 403)
})

test('the ports file has ws, pid and startedAt, and readHubPort answers it', async (t) => {
  const { project, hub } = await openHub(t)
  const file = JSON.parse(project.text('.forge/server-ports.json'))
  assert.deepEqual([file.ws, file.pid], [hub.port, process.pid])
  assert.ok(Date.parse(file.startedAt) > 0)
  assert.equal(readHubPort(project.cwd).ws, hub.port)
})

test('without a ports file, or with one that cannot be read, there is no port', (t) => {
  const project = freshProject(t)
  assert.equal(readHubPort(project.cwd), null)
  for (const text of ['', '{', '[]', '{"ws":"x"}', '{"ws":99999999}']) {
    project.write('.forge/server-ports.json', text)
    assert.equal(readHubPort(project.cwd), null, text)
  }
})

test('the ports file of the older tool is read while its process lives', (t) => {
  const project = freshProject(t)
  const file = { ws: 3101, pid: process.pid, startedAt: new Date().toISOString() }
  project.write('.forge/server-ports.json', file)
  assert.deepEqual(readHubPort(project.cwd), file)
  project.write('.forge/server-ports.json', { ...file, pid: 2 ** 30 })
  assert.equal(readHubPort(project.cwd), null)
})

test('close removes the ports file and rejects open questions', async (t) => {
  const { project, hub } = await openHub(t)
  hub.onAsk('slow', () => new Promise(() => {}))
  const question = hub.ask('slow')
  const rejected = assert.rejects(question, { code: 'hub-closed', topic: 'slow' })
  await hub.close()
  await rejected
  assert.equal(project.has('.forge/server-ports.json'), false)
})

test('a port that is taken is passed by', async (t) => {
  const busy = createServer().listen(0, '127.0.0.1')
  await once(busy, 'listening')
  t.after(() => busy.close())
  const { port } = busy.address()
  const { hub } = await openHub(t, { port })
  assert.ok(hub.port > port && hub.port < port + 10)
})

for (const port of [-1, 70_000, 'abc', 1.5]) {
  test(`the port ${port} is refused`, async (t) => {
    await assert.rejects(createHub({ port, cwd: freshProject(t).cwd }), { code: 'INVALID_INPUT' })
  })
}

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

test('a question that nobody answers says so at once', async (t) => {
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
  assert.match(said.join('\n'), /slow came too late/)
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
