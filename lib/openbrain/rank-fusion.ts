/** Dampens the difference between the first ranks; the value is the one that fusion by rank is commonly used with. */
const RANK_OFFSET = 60

/** Fuses ranked lists of ids: what stands high in any of them, or fairly high in several, comes first. */
export function fuse(lists: string[][]): { id: string; score: number }[] {
  const scores = new Map<string, number>()
  for (const list of lists) {
    for (const [at, id] of list.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_OFFSET + at + 1))
  }
  return [...scores].map(([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1))
}
