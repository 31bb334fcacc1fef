// Reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009): score(d) = sum over lists of 1 / (k + rank(d)), ranks from 1.
// It needs no comparable scores, so that lexical and semantic results can be merged.

/** The constant k, which dampens the difference between the first ranks; 60 is the value of the paper. */
const RANK_OFFSET = 60

/** Fuses ranked lists of ids: what stands high in any of them, or fairly high in several, comes first. */
export function fuseRanks(lists: string[][]): { id: string; score: number }[] {
  const scores = new Map<string, number>()
  for (const list of lists) {
    for (const [at, id] of list.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_OFFSET + at + 1))
  }
  return [...scores].map(([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1))
}
