// Broadcasts events to clients of another process and prints how long it took until all had come.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createHub } from '../../dist/hub/index.js'
import { input, report } from './process.mjs'

const A_TURN = 200

const { dir, events, groups, type } = input
const hub = await createHub({ port: 0, projectDir: dir })
const clients = fork(fileURLToPath(new URL('hub-clients.mjs', import.meta.url)))
const takers = groups.filter(({ handles }) => !handles || handles === type).reduce((sum, { count }) => sum + count, 0)
clients.send({ port: hub.port, token: hub.token, groups, frames: takers * events })
await once(clients, 'message')
const done = once(clients, 'message')
const processor = process.cpuUsage()
const started = performance.now()
for (let at = 0; at < events; at += A_TURN) {
  for (let n = at; n < at + A_TURN; n += 1) {
    hub.broadcast({ type, n, source: 'bench/hub', text: 'what a small event has to say' })
  }
  await new Promise((resolve) => setImmediate(resolve))
}
await done
const seconds = (performance.now() - started) / 1000
const { user, system } = process.cpuUsage(processor)
const dropped = hub.clients.size === 0 ? 0 : groups.reduce((sum, { count }) => sum + count, 0) - hub.clients.size
report({ seconds, frames: takers * events, processorSeconds: (user + system) / 1e6, dropped, unsaved: hub.unsaved })
await hub.close()
process.exit(0)
