import type { Hub } from '../hub/hub.js'
import { createDrainWorker } from '../index.js'
import type { Part } from './serve.js'

/** Delivers the queue to the shared store. Of several servers one does it at a time; the others stand by. */
export async function startDrain(projectDir: string, hub: Hub): Promise<Part> {
  const worker = await createDrainWorker({ projectDir })
  worker.on('pass', (report) => tell(hub, report))
  worker.start()
  return {
    name: 'drain',
    state: () => {
      const { state, reason } = worker
      const why = reason === undefined ? {} : { lastError: reason }
      return { running: state !== 'stopped', standby: state === 'standby', state, ...why }
    },
    close: () => worker.stop(),
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
