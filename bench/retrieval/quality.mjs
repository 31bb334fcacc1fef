// How good ranked answers are when every query has one right document.

export const DEPTH = 100

/** `ranks` holds, for each query, the place of its answer from 1 on, or undefined. */
export function qualityOf(ranks) {
  const mean = (of) => ranks.reduce((sum, rank) => sum + (rank === undefined ? 0 : of(rank)), 0) / ranks.length
  return {
    hit1: mean((rank) => (rank <= 1 ? 1 : 0)),
    recall10: mean((rank) => (rank <= 10 ? 1 : 0)),
    recall100: mean((rank) => (rank <= 100 ? 1 : 0)),
    mrr: mean((rank) => 1 / rank),
    ndcg10: mean((rank) => (rank <= 10 ? 1 / Math.log2(rank + 1) : 0)),
  }
}

export function rankOf(ids, answer) {
  const at = ids.indexOf(answer)
  return at < 0 ? undefined : at + 1
}

/** Fusion by reciprocal rank: `1 / (k + rank)`, added up over the lists. */
export function fuse(lists, k = 60) {
  const scores = new Map()
  for (const ids of lists) {
    for (const [at, id] of ids.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (k + at + 1))
  }
  return [...scores].sort((a, b) => b[1] - a[1]).map(([id]) => id)
}

/**
 * Tells how sure it is that the first ranks are better than the second: the share of 10,000 drawings, with replacement,
 * of the queries in which the mean reciprocal rank is higher. The drawings are the same in every run.
 */
export function sureness(better, worse, drawings = 10_000) {
  const gain = better.map((rank, at) => (rank ? 1 / rank : 0) - (worse[at] ? 1 / worse[at] : 0))
  let state = 1
  const draw = () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9
    const mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39)
    return ((mixed ^ (mixed >>> 15)) >>> 0) % gain.length
  }
  let wins = 0
  for (let drawing = 0; drawing < drawings; drawing++) {
    let sum = 0
    for (let count = 0; count < gain.length; count++) sum += gain[draw()]
    if (sum > 0) wins += 1
  }
  return wins / drawings
}
