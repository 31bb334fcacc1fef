/** `forge-memory/hub`: the live event stream of a project. */

import { problem } from '../shared/problem.js'
import { Hub, type HubSettings } from './hub.js'
import { openHub } from './open.js'

export type { ClientInfo, Drop } from './client.js'
export type { HubEvent } from './event.js'
export { Hub, type HubSettings } from './hub.js'
export { type HubPorts, readHubPort } from './ports.js'
export type { AskAnswer, AskDetails, AskHandler, AskSpan } from './requests.js'

export interface HubOptions extends HubSettings {
  /** The first port to try; 3101 when absent, 0 for any. */
  port?: number
  /** The address to listen on; 127.0.0.1 when absent. */
  host?: string
  /** Another name for `projectDir`. */
  cwd?: string
}

/** Starts a hub with its own HTTP server. `serve` of `forge-memory/server` includes one. */
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
  await openHub(hub, port, host)
  return hub
}
