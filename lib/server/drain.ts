import { createDrainWorker } from '../api/shared-memory.js'
import type { HubEvent } from '../hub/event.js'
import type { Hub } from '../hub/hub.js'
import type { StoredThought as SharedThought } from '../openbrain/store.js'
import type { Part } from './part.js'

/** Delivers the queue to the shared store. Of several servers one does it at a time; the others stand by. */
export async function startDrain(projectDir: string, hub: Hub): Promise<Part> {
  const worker = await createDrainWorker({ projectDir })
  worker.on('pass', (report) => tell(hub, { type: 'openbrain-flush', ...report }))
  // It may be of any project: it is told, and not written into the files of this one.
  worker.on('thought', (thought) => tell(hub, { type: 'memory-arrived', thought: lineOf(thought) }, { durable: false }))
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

/** Everybody who looks on learns of it; a hub that is closing has nobody to tell. */
function tell(hub: Hub, event: HubEvent, options?: { durable: boolean }): void {
  try {
    hub.broadcast(event, options)
  } catch {
    return
  }
}

/** Events name the fields of a thought as its line does. */
function lineOf({ createdBy, capturedAt, metadata: _metadata, ...rest }: SharedThought): object {
  return { ...rest, created_by: createdBy, captured_at: capturedAt }
}
