// The types of the code graph's answers, with the titles and addresses of symbols.

import type { LatticeChunk } from '../../../types.js'
import { addressOf } from '../../state/route.js'

export type { LatticeAnswer, LatticeChunk, LatticeIndexOutcome, LatticeStat } from '../../../types.js'

/** Qualifies a method with its type, because many methods share a name. */
export function titleOf({ owner, name, filePath }: LatticeChunk): string {
  if (name === '') return filePath
  return owner ? `${owner}.${name}` : name
}

/** Returns the address of a symbol's call graph. */
export function addressOfSymbol(chunk: LatticeChunk): string {
  return addressOf('health', 'code', { symbol: chunk.id, name: titleOf(chunk) })
}
