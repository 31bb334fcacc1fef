import { variable } from '../shared/environment.js'
import { createGuardedServer } from './guarded-server.js'
import type { Hub } from './hub.js'
import { listen } from './listen.js'
import { PortsClaim } from './ports.js'

/** Starts listening and publishes the port for the project's other programs. Closes the hub when that fails. */
export async function openHub(hub: Hub, port: number | undefined, host: string): Promise<void> {
  const server = createGuardedServer((_, response) => {
    response.writeHead(426, { 'Content-Type': 'application/json; charset=utf-8', Upgrade: 'websocket' })
    response.end('{"error":{"code":"INVALID_INPUT","message":"this is a WebSocket"}}\n')
  })
  hub.attach(server)
  try {
    hub.port = await listen(server, port ?? Number(variable('PLAN_FORGE_WS_PORT')), host)
  } catch (error) {
    await hub.close()
    throw error
  }
  if (hub.gate.isLocal) tellOfOpenDoor(hub, host)
  const { startedAt, token } = hub
  const claim = new PortsClaim(hub.projectDir, { ws: hub.port, pid: process.pid, startedAt, token })
  hub.onClose(() => {
    claim.release()
    server.close()
  })
}

/** Warns that programs need no token, and says how to require it. */
function tellOfOpenDoor({ port }: Hub, host: string): void {
  const who = process.platform === 'linux' ? 'programs of this user' : 'programs of every user of this machine'
  console.warn(
    `forge-memory: ws://${host}:${port} needs no token: ${who} can read all events; auth: token or FORGE_HUB_AUTH=token requires it`,
  )
}
