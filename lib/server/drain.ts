import type { Hub } from '../hub/hub.js'
import * as library from '../index.js'
import type { Part } from './serve.js'

/** What the drain worker of the library looks like from here. */
interface Worker {
  readonly state: string
  readonly reason: string | undefined
  start(): unknown
  stop(): Promise<void>
  on(name: 'pass', listener: (report: object) => void): unknown
}

/** Delivers the queue to the shared store, where the library has one. Of several servers one does it at a time. */
export async function startDrain(projectDir: string, hub: Hub): Promise<Part> {
  const create = (library as Record<string, unknown>).createDrainWorker as
    | ((options: { projectDir: string }) => Promise<Worker>)
    | undefined
  const worker = await create?.({ projectDir })
  worker?.on('pass', (report) => tell(hub, report))
  worker?.start()
  return {
    name: 'drain',
    state: () => {
      if (!worker) return { running: false, standby: false }
      const { state, reason } = worker
      const why = reason === undefined ? {} : { lastError: reason }
      return { running: state !== 'stopped', standby: state === 'standby', state, ...why }
    },
    close: async () => worker?.stop(),
  }
}

/** Everybody who looks on learns how a pass went; a hub that is closing has nobody to tell. */
function tell(hub: Hub, report: object): void {
  try {
    hub.broadcast({ type: 'openbrain-flush', ...report })
  } catch {
    return
  }
}
