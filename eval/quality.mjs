// How good one ranked answer is, and many of them.

/** How many hits every way is asked for. */
export const DEPTH = 100

export const MEASURES = ['recall1', 'recall5', 'recall10', 'mrr', 'ndcg10']

/** Judges one list of ids, best first, by the grades of the documents that answer: `{ id: grade }`. */
export function judge(ids, grades) {
  const wanted = Object.keys(grades).length
  const ranks = ids.flatMap((id, at) => (grades[id] > 0 ? [at + 1] : []))
  const within = (depth) => ranks.filter((rank) => rank <= depth).length / Math.min(wanted, depth)
  return {
    // With several answers the first one can hold no more than one of them, and that is all that is asked for.
    recall1: within(1),
    recall5: within(5),
    recall10: within(10),
    mrr: ranks.length === 0 ? 0 : 1 / ranks[0],
    ndcg10: gained(ids.map((id) => grades[id] ?? 0)) / gained(Object.values(grades).sort((a, b) => b - a)),
  }
}

function gained(grades) {
  return grades.slice(0, 10).reduce((sum, grade, at) => sum + grade / Math.log2(at + 2), 0)
}

/** Returns the mean of each measure. */
export function meansOf(judgements) {
  return Object.fromEntries(MEASURES.map((name) => [name, mean(judgements.map((each) => each[name]))]))
}

export function mean(values) {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}
