// PostgreSQL's protocol seen from the wire: a relay that counts what a client asks and can make a server distant, and a pooler that
// hands every transaction to another server connection, as PgBouncer does in transaction mode.
import { once } from 'node:events'
import net from 'node:net'
import { rest } from './waiting.mjs'

const READY = 'Z'
const SSL_REQUEST = 80_877_103

/** Cuts a stream of bytes into messages. The first message of a client has no type. */
function messagesOf(onMessage, hasStartup = false) {
  let bytes = Buffer.alloc(0)
  let isStartup = hasStartup
  return (chunk) => {
    bytes = Buffer.concat([bytes, chunk])
    for (;;) {
      const at = isStartup ? 0 : 1
      if (bytes.length < at + 4) return
      const length = at + bytes.readInt32BE(at)
      if (bytes.length < length) return
      const message = bytes.subarray(0, length)
      bytes = bytes.subarray(length)
      const isPlainStart = isStartup && message.readInt32BE(4) !== SSL_REQUEST
      onMessage(isStartup ? 'startup' : String.fromCharCode(message[0]), message)
      if (isPlainStart) isStartup = false
    }
  }
}

async function listening(t, onSocket, port = 0) {
  const sockets = new Set()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    onSocket(socket)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  t?.after(close)
  return { port: server.address().port, close, sockets }
}

/** Passes chunks on in their order, each after half of the round trip. */
function delayed(target, roundTripMs) {
  if (roundTripMs === 0) return (chunk) => target.write(chunk)
  let before = Promise.resolve()
  return (chunk) => {
    const due = rest(roundTripMs / 2)
    before = Promise.all([before, due]).then(() => target.destroyed || target.write(chunk))
  }
}

/**
 * Opens a relay to a server. `counts` has the connections, the statements, how often one was sent while none was under way (a round trip that
 * a client waits for), those that were prepared under a name, and the bytes in
 * both directions.
 */
export async function openWire(t, port, { roundTripMs = 0 } = {}) {
  const counts = { connections: 0, statements: 0, roundTrips: 0, named: 0, bytes: 0, texts: [] }
  let underWay = 0
  const { close, ...server } = await listening(t, (client) => {
    counts.connections += 1
    const inner = net.connect(port, '127.0.0.1')
    inner.on('error', () => client.destroy()).on('close', () => client.destroy())
    client.on('close', () => inner.destroy())
    const read = messagesOf((type, message) => {
      // Sync ends a statement of the extended protocol, Q is one of the simple protocol.
      if (type === 'S' || type === 'Q') {
        counts.statements += 1
        counts.roundTrips += underWay === 0 ? 1 : 0
        underWay += 1
      }
      if (type === 'P' && message[5] !== 0) counts.named += 1
      if (type === 'P' || type === 'Q') counts.texts.push(message.toString('utf8', 5))
    }, true)
    const there = delayed(inner, roundTripMs)
    const back = delayed(client, roundTripMs)
    client.on('data', (chunk) => {
      counts.bytes += chunk.length
      read(chunk)
      there(chunk)
    })
    // The server is ready for the first time before a statement was sent.
    let isReady = false
    const answered = messagesOf((type) => {
      if (type === READY && isReady) underWay -= 1
      isReady ||= type === READY
    })
    inner.on('data', (chunk) => {
      counts.bytes += chunk.length
      answered(chunk)
      back(chunk)
    })
  })
  const reset = () =>
    Object.assign(counts, { connections: 0, statements: 0, roundTrips: 0, named: 0, bytes: 0, texts: [] })
  return { port: server.port, counts, reset, close }
}

/**
 * Opens a pooler in transaction mode with a few server connections, which it hands out in turn. A client whose server connection ends
 * loses its own, too. It listens on a port of its own choice, or on `at`.
 */
export async function openPooler(t, port, { size = 3, at = 0 } = {}) {
  const idle = []
  const waiting = []
  let opened = 0
  const handOut = (startup, work) => {
    const free = idle.shift()
    if (opened >= size) return free === undefined ? waiting.push(work) : work(free)
    // A new connection as long as there may be more, so that a client meets several.
    if (free !== undefined) idle.push(free)
    opened += 1
    return connectServer(port, startup, gone).then(work)
  }
  const gone = (server) => {
    opened -= 1
    const place = idle.indexOf(server)
    if (place >= 0) idle.splice(place, 1)
    server.onGone?.()
  }
  const release = (server) => {
    server.onMessage = undefined
    server.onGone = undefined
    const next = waiting.shift()
    if (next === undefined) idle.push(server)
    else next(server)
  }
  return listening(
    t,
    (client) => {
      let startup
      let current
      let queue = []
      const send = (message) => current.socket.write(message)
      const pump = () => {
        if (current !== undefined || queue.length === 0) return
        current = 'asked'
        const given = handOut(startup, (server) => {
          current = server
          server.onGone = () => client.destroy()
          server.onMessage = (type, message) => {
            client.write(message)
            // Every statement that was sent is answered, and no transaction is open.
            if (type !== READY || --server.open > 0 || message[5] !== 'I'.charCodeAt(0)) return
            current = undefined
            release(server)
            pump()
          }
          const now = queue
          queue = []
          for (const [type, message] of now) forward(type, message)
        })
        given?.catch?.(() => {
          opened -= 1
          client.destroy()
        })
      }
      const forward = (type, message) => {
        if (type === 'S' || type === 'Q') current.open += 1
        send(message)
      }
      client.on(
        'data',
        messagesOf((type, message) => {
          if (type === 'startup') {
            if (message.readInt32BE(4) === SSL_REQUEST) return client.write('N')
            startup = Buffer.from(message)
            return greet(client)
          }
          if (type === 'X') return client.end()
          if (current === undefined || current === 'asked') {
            queue.push([type, Buffer.from(message)])
            // Handed out at the end of a statement, so that its parts stay together.
            if (type === 'S' || type === 'Q') pump()
          } else forward(type, message)
        }, true),
      )
    },
    at,
  )
}

/** Answers a client as the pooler itself: it names a process that no server knows. */
function greet(client) {
  const part = (type, ...bytes) => {
    const body = Buffer.concat(bytes)
    const head = Buffer.alloc(5)
    head.write(type)
    head.writeInt32BE(body.length + 4, 1)
    return Buffer.concat([head, body])
  }
  const int = (value) => {
    const bytes = Buffer.alloc(4)
    bytes.writeInt32BE(value)
    return bytes
  }
  const status = (name, value) => part('S', Buffer.from(`${name}\0${value}\0`))
  client.write(
    Buffer.concat([
      part('R', int(0)),
      status('client_encoding', 'UTF8'),
      status('server_version', '16.0'),
      part('K', int(1_000_000_000 + Math.floor(Math.random() * 1e6)), int(7)),
      part(READY, Buffer.from('I')),
    ]),
  )
}

async function connectServer(port, startup, onGone) {
  const socket = net.connect(port, '127.0.0.1')
  const server = { socket, open: 0, onMessage: undefined, onGone: undefined }
  let isUsed = false
  const isReady = new Promise((resolve, reject) => {
    server.onMessage = (type) => type === READY && resolve()
    socket.on('close', () => reject(new Error('the server closed the connection')))
  })
  isReady.catch(() => undefined)
  socket.on('error', () => undefined).on('close', () => isUsed && onGone(server))
  socket.on(
    'data',
    messagesOf((type, message) => server.onMessage?.(type, Buffer.from(message))),
  )
  await once(socket, 'connect')
  socket.write(startup)
  await isReady
  server.onMessage = undefined
  isUsed = true
  return server
}
