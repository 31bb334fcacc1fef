import { createDrainWorker, keepReplicaFresh } from '../api/shared-memory.js'
import type { HubEvent } from '../hub/event.js'
import type { Hub } from '../hub/hub.js'
import type { StoredThought as SharedThought } from '../openbrain/store.js'
import type { Part } from './part.js'

/** The figures of the worker since the server started. */
export interface DrainFigures {
  state: string
  passes: number
  outcomes: { delivered: number; deferred: number; dead: number; failed: number }
  /** The vectors of the shared store, when they were last counted. */
  shared: { done: number; total: number } | undefined
}

/** A part that also counts. */
export interface DrainPart extends Part {
  figures(): DrainFigures
}

/** Delivers the queue to the shared store. One server per project is active; the others are on standby. */
export async function startDrain(projectDir: string, hub: Hub): Promise<DrainPart> {
  const worker = await createDrainWorker({ projectDir })
  const outcomes = { delivered: 0, deferred: 0, dead: 0, failed: 0 }
  let passes = 0
  let shared: DrainFigures['shared']
  worker.on('pass', ({ delivered, deferred, dlq, failed }) => {
    passes += 1
    outcomes.delivered += delivered
    outcomes.deferred += deferred
    outcomes.dead += dlq
    outcomes.failed += failed
  })
  const count = ({ done, total }: NonNullable<DrainFigures['shared']>) => {
    shared = { done, total }
  }
  worker.on('embedding', count)
  worker.on('vectors', count)
  worker.on('pass', (report) => broadcast(hub, { type: 'openbrain-flush', ...report }))
  // It is broadcast, but not stored in this project's files.
  worker.on('thought', (thought) =>
    broadcast(hub, { type: 'memory-arrived', thought: lineOf(thought) }, { durable: false }),
  )
  worker.on('forgotten', (thought) => broadcast(hub, { type: 'memory-gone', thought }, { durable: false }))
  worker.start()
  const stopConfirming = keepReplicaFresh({ projectDir }, worker)
  return {
    name: 'drain',
    state: () => {
      const { state, reason } = worker
      const why = reason === undefined ? {} : { lastError: reason }
      return { running: state !== 'stopped', standby: state === 'standby', state, ...why }
    },
    figures: () => ({ state: worker.state, passes, outcomes: { ...outcomes }, shared }),
    close: () => {
      stopConfirming()
      return worker.stop()
    },
  }
}

/** Broadcasts an event; a hub that is closing drops it. */
function broadcast(hub: Hub, event: HubEvent, options?: { durable: boolean }): void {
  try {
    hub.broadcast(event, options)
  } catch {
    return
  }
}

/** Converts a thought to the field names of the file format. */
function lineOf({ createdBy, capturedAt, metadata: _metadata, ...rest }: SharedThought): object {
  return { ...rest, created_by: createdBy, captured_at: capturedAt }
}
