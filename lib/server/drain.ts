import { createDrainWorker } from '../api/shared-memory.js'
import type { HubEvent } from '../hub/event.js'
import type { Hub } from '../hub/hub.js'
import type { StoredThought as SharedThought } from '../openbrain/store.js'
import type { Part } from './part.js'

/** Delivers the queue to the shared store. One server of a project does it at a time; the others are on standby. */
export async function startDrain(projectDir: string, hub: Hub): Promise<Part> {
  const worker = await createDrainWorker({ projectDir })
  worker.on('pass', (report) => tell(hub, { type: 'openbrain-flush', ...report }))
  // It may belong to any project: it is broadcast, but not written into the files of this one.
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

/** Broadcasts an event; a hub that is closing drops it. */
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
