// What anybody on this machine, every web page included, may send to a server that runs.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import test from 'node:test'
import WebSocket from 'ws'
import { hostileRequest, randomOf } from './support/hostile-requests.mjs'
import { isAnswering, say, startServe } from './support/served.mjs'

const QUIET = ['--no-watch', '--no-drain']
const REQUESTS = 10_000
const TOGETHER = 50

/** How an upgrade is answered that is not granted. */
function refusedUpgrade(url, headers = {}) {
  const ws = new WebSocket(url, { headers })
  ws.on('error', () => undefined)
  return new Promise((resolve, reject) => {
    ws.once('unexpected-response', (_, response) => resolve(response.statusCode))
    ws.once('open', () => reject(new Error('it was let in')))
    ws.once('error', reject)
  })
}

test('a web page that asks for a WebSocket under a broken address does not end the server', async (t) => {
  const served = await startServe(t, QUIET)
  const own = `ws://127.0.0.1:${served.document.port}`
  assert.equal(await refusedUpgrade(`${own}//`), 400)
  assert.equal(await refusedUpgrade(`${own}//`, { origin: 'https://evil.example' }), 403)
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
  for (const target of ['//', '//[', '//a:b', 'http://[', '*', 'x']) {
    for (const extra of ['', upgrade]) {
      const request = `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${served.document.port}\r\n${extra}\r\n`
      const { text } = await say(served, request.replace('\r\n\r\n', '\r\nX: y\r\n\r\n'), {
        meanwhile: (socket) => socket.end(),
      })
      assert.match(text, /^HTTP\/1\.1 400 /, `${target} ${extra}`)
    }
  }
  assert.ok(await isAnswering(served))
})

test('a server that was sent ten thousand broken requests, headers and upgrades still answers', async (t) => {
  const served = await startServe(t, QUIET)
  const { port } = served.document
  const random = randomOf(20_260_101)
  const statuses = new Map()
  let left = REQUESTS
  const lane = async () => {
    while (left > 0) {
      left -= 1
      const bytes = Buffer.from(hostileRequest(random, { port, token: served.token }), 'latin1')
      const { text } = await say(served, bytes, { meanwhile: (socket) => socket.end() })
      const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? (text === '' ? 'closed' : 'other')
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      assert.notEqual(status, '500', JSON.stringify(bytes.toString('latin1')))
      assert.notEqual(status, 'other', JSON.stringify([bytes.toString('latin1'), text]))
    }
  }
  await Promise.all(Array.from({ length: TOGETHER }, lane))
  assert.ok(await isAnswering(served), JSON.stringify(Object.fromEntries(statuses)))
  for (const status of ['101', '400', '401', '403', '404', '405'])
    assert.ok(statuses.get(status) > 10, `${status} of ${JSON.stringify([...statuses])}`)
})

test('connections that only drip bytes are closed, wherever they drip', async (t) => {
  const served = await startServe(t, QUIET)
  const { port } = served.document
  const head = (line) => `${line} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${served.token}\r\n`
  const upgrade =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
  const drips = {
    nothing: ['', ''],
    'the request line': ['', 'G'],
    headers: [`${head('GET /')}X-Slow: `, 'x'],
    'a body of a known length': [
      `${head('POST /api/memory/capture')}Content-Type: application/json\r\nContent-Length: 9999\r\n\r\n`,
      ' ',
    ],
    'a body in chunks': [
      `${head('POST /api/memory/capture')}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      '1\r\n \r\n',
    ],
    'the headers of an upgrade': [`${head('GET /hub')}${upgrade}X-Slow: `, 'x'],
    'a frame after the upgrade': [`${head('GET /hub?history=0')}${upgrade}\r\n\x81\xfe\x20\x00`, 'x'],
  }
  const ends = Object.entries(drips).map(async ([where, [first, drop]]) => {
    let timer
    const { gaveUp, text } = await say(served, Buffer.from(first, 'latin1'), {
      meanwhile: (socket) => {
        timer = setInterval(() => drop !== '' && socket.write(drop), 500)
      },
    })
    clearInterval(timer)
    return [where, gaveUp, text]
  })
  for (const [where, gaveUp, text] of await Promise.all(ends)) {
    assert.equal(gaveUp, false, where)
    // A browser would take an answer to nothing for the answer to what it asks next.
    if (where === 'nothing') assert.equal(text, '')
  }
  assert.ok(await isAnswering(served))
})

test('no more connections are held than may be, and those that are held go on', async (t) => {
  const served = await startServe(t, QUIET)
  const known = new WebSocket(`ws://127.0.0.1:${served.document.port}/hub?history=0&token=${served.token}`)
  await once(known, 'open')
  t.after(() => known.terminate())
  const sockets = Array.from({ length: 1400 }, () => connect(served.document.port, '127.0.0.1'))
  t.after(() => sockets.map((socket) => socket.destroy()))
  let closed = 0
  // Connections beyond the limit are closed, long before the others time out. Which ones these are is up to the
  // operating system: a full queue of connections to accept makes some of the first ones wait.
  const enough = new Promise((resolve) => {
    for (const socket of sockets) {
      socket.on('error', () => undefined)
      socket.once('close', () => {
        closed += 1
        if (closed === 200) resolve()
      })
    }
  })
  await enough
  assert.ok(sockets.filter((socket) => !socket.destroyed).length >= 1000)
  known.send('{"type":"ping"}')
  const [answer] = await once(known, 'message')
  assert.ok(String(answer).length > 0)
  for (const socket of sockets) socket.destroy()
  assert.ok(await isAnswering(served))
})
