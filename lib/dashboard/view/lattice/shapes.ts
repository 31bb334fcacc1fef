// The answers of the code graph, and how its symbols are written and led to.

import type { LatticeChunk } from '../../../native.js'
import { addressOf } from '../../state/route.js'

export type { LatticeAnswer, LatticeChunk, LatticeIndexOutcome, LatticeStat } from '../../../native.js'

/** A method is named with its type: names alone are too often alike. */
export function titleOf({ owner, name, filePath }: LatticeChunk): string {
  if (name === '') return filePath
  return owner ? `${owner}.${name}` : name
}

/** The address of the graph around a symbol. */
export function addressOfSymbol(chunk: LatticeChunk): string {
  return addressOf('lattice', chunk.id, { name: titleOf(chunk) })
}
