// Clients of the hub: what they get, who is let in, and where they find it.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import test from 'node:test'
import { publishEvents } from 'forge-memory'
import { createHub, Hub, readHubPort } from 'forge-memory/plan-forge'
import WebSocket, { WebSocketServer } from 'ws'
import { freshProject } from '../support/plan-forge.mjs'
import { client, openHub, runLine, seen } from '../support/plan-forge-hub.mjs'
import { until } from '../support/waiting.mjs'

test('a hub has read the newest runs and the event file when it listens', async (t) => {
  const { hub } = await openHub(t, {}, (project) => {
    project.write('.forge/runs/r1/events.log', runLine('from-run', {}))
    publishEvents(['{"type":"from-file"}'], project.options)
  })
  assert.deepEqual(
    hub.eventHistory.map(({ type }) => type),
    ['from-run', 'from-file'],
  )
})

test('a client gets the acknowledgement, the runs, the stored events and then the live ones', async (t) => {
  const { hub } = await openHub(t, {}, (project) => {
    project.write('.forge/runs/r1/events.log', runLine('from-run', { n: 1 }))
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

test('a server of the caller gets the same events after the same checks', async (t) => {
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

test('clients of the older tool are let in by a hub that nobody told anything, and it says so', async (t) => {
  const { project, hub, said } = await openHub(t)
  const watcher = await client(t, readHubPort(project.cwd).ws, { query: '?label=watcher-1' })
  const dashboard = await client(t, hub.port, {
    query: '?label=dashboard',
    headers: { origin: 'http://localhost:3100' },
  })
  for (const { events } of [watcher, dashboard]) await seen(events, 'live')
  hub.broadcast({ type: 'now' })
  for (const { events } of [watcher, dashboard]) await seen(events, 'now')
  assert.equal((await client(t, hub.port, { headers: { origin: 'http://evil.example' } })).status, 403)
  assert.match(said.join('\n'), new RegExp(`127\\.0\\.0\\.1:${hub.port} needs no token.*FORGE_HUB_AUTH=token`))
})

/** A client as another user: the status that refuses it, or \`open\`. */
async function stranger(t, port) {
  const code = `const s = new (require('ws'))('ws://127.0.0.1:${port}/'); s.on('open', () => { console.log('open'); s.terminate() })
    s.on('unexpected-response', (_, { statusCode }) => { console.log(statusCode); s.terminate() }); s.on('error', () => {})`
  const child = spawn('setpriv', ['--reuid', '65534', '--clear-groups', process.execPath, '-e', code])
  t.after(() => child.kill())
  const [answer] = await once(child.stdout, 'data')
  return String(answer).trim()
}

const canBeTwo =
  process.getuid?.() === 0 && spawnSync('setpriv', ['--reuid', '65534', '--clear-groups', 'true']).status === 0

const skip = canBeTwo ? false : 'only root can be two users'

test('a hub without a token lets no other user in', { skip }, async (t) => {
  const { hub } = await openHub(t)
  assert.equal(await stranger(t, hub.port), '401')
  const { events } = await client(t, hub.port)
  await seen(events, 'live')
})

for (const [what, options, env] of [
  ['auth is token', { auth: 'token' }],
  ['the caller chose a token', { token: 'mine' }],
  ['FORGE_HUB_AUTH says so', {}, 'token'],
]) {
  test(`clients without the token are refused when ${what}`, async (t) => {
    if (env) process.env.FORGE_HUB_AUTH = env
    t.after(() => delete process.env.FORGE_HUB_AUTH)
    const { hub, said } = await openHub(t, options)
    assert.equal((await client(t, hub.port)).status, 401)
    assert.deepEqual(said, [])
  })
}

test('a hub that other machines reach requires the token', async (t) => {
  const { hub, said } = await openHub(t, { host: '0.0.0.0' })
  assert.equal((await client(t, hub.port)).status, 401)
  assert.deepEqual(said, [])
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
  test(`auth local does not receive events for the host "${host}" (DNS rebinding)`, async (t) => {
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
  process.env.FORGE_HUB_AUTH = 'none'
  t.after(() => delete process.env.FORGE_HUB_AUTH)
  await assert.rejects(createHub({ port: 0, cwd }), { code: 'INVALID_INPUT' })
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

test('without a readable ports file there is no port', (t) => {
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

test('close has given up the port and the file when it returns, waited for or not', async (t) => {
  const { project, hub } = await openHub(t)
  const { socket, events } = await client(t, hub.port, { query: `?token=${hub.token}` })
  await seen(events, 'connected')
  const gone = once(socket, 'close')
  hub.close()
  assert.equal(project.has('.forge/server-ports.json'), false)
  const [code] = await gone
  assert.equal(code, 1000)
})

test('a client in the map can be written to, as broadcasters of the older tool do', async (t) => {
  const { hub } = await openHub(t)
  const { events } = await client(t, hub.port, { query: `?token=${hub.token}&label=x` })
  await seen(events, 'live')
  for (const { ws, label, connectedAt } of hub.clients.values()) {
    assert.deepEqual([ws.readyState, label], [1, 'x'])
    assert.ok(Date.parse(connectedAt) > 0)
    ws.send(JSON.stringify({ type: 'by-hand' }))
  }
  await seen(events, 'by-hand')
})

for (const message of [
  'not json',
  '{}',
  '{"type":"subscribe","topics":["a"]}',
  '{"type":"set-label","label":{}}',
  '7',
]) {
  test(`the message ${message} of a client ends nothing`, async (t) => {
    const { hub } = await openHub(t)
    const { socket, events } = await client(t, hub.port, { query: `?token=${hub.token}` })
    await seen(events, 'live')
    socket.send(message)
    hub.broadcast({ type: 'still-here' })
    await seen(events, 'still-here')
  })
}

test('without a port the hub takes the one of PLAN_FORGE_WS_PORT', async (t) => {
  const busy = createServer().listen(0, '127.0.0.1')
  await once(busy, 'listening')
  const { port } = busy.address()
  await new Promise((resolve) => busy.close(resolve))
  process.env.PLAN_FORGE_WS_PORT = String(port)
  t.after(() => delete process.env.PLAN_FORGE_WS_PORT)
  const { hub } = await openHub(t, { port: undefined })
  assert.ok(hub.port >= port && hub.port < port + 10)
})

test('when ten ports are taken the error names them', async (t) => {
  const { cwd } = freshProject(t)
  const servers = []
  t.after(() => servers.map((server) => server.close()))
  const listen = async (port) => {
    const server = createServer().listen(port, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    return server.address().port
  }
  // Ten consecutive free ports are not guaranteed: the search restarts after the one in use.
  const findTen = async (from) => {
    for (let port = from; port < from + 10; port += 1) {
      try {
        await listen(port)
      } catch {
        return findTen(port + 1)
      }
    }
    return from
  }
  const first = await findTen(20_000 + Math.floor(Math.random() * 10_000))
  await assert.rejects(createHub({ port: first, cwd }), { message: new RegExp(`${first} to ${first + 9}`) })
})
