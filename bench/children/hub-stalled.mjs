// One client of a hub stops reading while events go on; prints the most that was ever held for it.
import { createHub } from '../../dist/hub/index.js'
import { connectClient } from './hub-client.mjs'
import { input, report } from './process.mjs'

const hub = await createHub({ port: 0, projectDir: input.dir })
const { socket } = await connectClient({ port: hub.port, token: hub.token })
let droppedAfter
let sent = 0
hub.on('client-dropped', () => {
  droppedAfter ??= sent
})
socket.pause()
let bytes = 0
const text = 'x'.repeat(input.eventBytes)
for (; droppedAfter === undefined && sent < input.events; sent += 1) {
  const [client] = hub.clients.values()
  hub.broadcast({ type: 'a', text }, { durable: false })
  bytes = Math.max(bytes, client?.waitingBytes ?? 0)
  await new Promise((resolve) => setImmediate(resolve))
}
report({ bytes, droppedAfter: droppedAfter ?? null })
process.exit(0)
