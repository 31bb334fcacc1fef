/** `forge-memory/hub`: the live stream of a project's events. */

import { problem } from '../shared/problem.js'
import { createGuardedServer } from './guarded-server.js'
import { Hub, type HubSettings } from './hub.js'
import { listen } from './listen.js'
import { PortsClaim } from './ports.js'

export type { ClientInfo, Drop } from './client.js'
export type { HubEvent } from './event.js'
export { Hub, type HubSettings } from './hub.js'
export { type HubPorts, readHubPort } from './ports.js'
export type { AskAnswer, AskDetails, AskHandler, AskSpan } from './requests.js'

const PORT = 3101

export interface HubOptions extends HubSettings {
  /** The first port to try; 3101 when absent, 0 for any. */
  port?: number
  /** The address to listen on; 127.0.0.1 when absent. */
  host?: string
  /** Another name for `projectDir`. */
  cwd?: string
}

/** Starts a hub of its own. `serve` of `forge-memory/server` has one already. */
export async function createHub({ port, host = '127.0.0.1', cwd, ...settings }: HubOptions = {}): Promise<Hub> {
  const { projectDir = cwd } = settings
  if (cwd !== undefined && cwd !== projectDir) {
    throw problem('INVALID_INPUT', 'cwd: names a different folder than projectDir; leave one of them out')
  }
  const hub = new Hub({
    ...settings,
    ...(projectDir === undefined ? {} : { projectDir }),
    hosts: [...(settings.hosts ?? []), host],
  })
  const server = createGuardedServer((_, response) => {
    response.writeHead(426, { 'Content-Type': 'application/json; charset=utf-8', Upgrade: 'websocket' })
    response.end('{"error":{"code":"INVALID_INPUT","message":"this is a WebSocket"}}\n')
  })
  hub.attach(server)
  try {
    hub.port = await listen(server, port ?? Number(process.env.PLAN_FORGE_WS_PORT || PORT), host)
  } catch (error) {
    await hub.close()
    throw error
  }
  const { startedAt, token } = hub
  const claim = new PortsClaim(hub.projectDir, { ws: hub.port, pid: process.pid, startedAt, token })
  hub.onClose(() => {
    claim.release()
    server.close()
  })
  return hub
}
