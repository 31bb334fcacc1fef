// Hybrid search for stores outside of the engine: fuses lexical and semantic scores. The engine weighs the two for each
// query.
import { fuseScores } from '../native.js'

/** A candidate that a store found lexically, semantically, or both. */
export interface Found {
  id: string
  /** Its lexical score, in the unit of the store. */
  words?: number
  cosine?: number
}

/**
 * Returns the candidates by fused score, best first. Ties are broken by the larger, which is the younger, id.
 */
export function fuseFound(query: string, found: Found[]): (Found & { score: number })[] {
  const evidence = found.map(({ words = 0, cosine }) => ({ words, ...(cosine === undefined ? {} : { cosine }) }))
  const scores = fuseScores(query, evidence)
  const ranked = found.map((each, at) => ({ ...each, score: scores[at] ?? 0 }))
  return ranked.sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1))
}
