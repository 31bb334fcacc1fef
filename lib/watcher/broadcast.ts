import type { Hub } from '../hub/hub.js'
import type { LatticeIndexOutcome } from '../native.js'

/** Broadcasts that the index has changed; a hub that is closing drops it. */
export function broadcastIndexed(hub: Hub | undefined, outcome: LatticeIndexOutcome): void {
  const { filesIndexed, filesChanged, filesRemoved, chunks, edges } = outcome
  try {
    hub?.broadcast({ type: 'lattice-indexed', filesIndexed, filesChanged, filesRemoved, chunks, edges })
  } catch {
    return
  }
}
