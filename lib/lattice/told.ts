import type { Hub } from '../hub/hub.js'
import type { LatticeIndexOutcome } from '../native.js'

/** Everybody who looks on learns that the index is another one; a hub that is closing has nobody to tell. */
export function tellIndexed(hub: Hub | undefined, outcome: LatticeIndexOutcome): void {
  const { filesIndexed, filesChanged, filesRemoved, chunks, edges } = outcome
  try {
    hub?.broadcast({ type: 'lattice-indexed', filesIndexed, filesChanged, filesRemoved, chunks, edges })
  } catch {
    return
  }
}
