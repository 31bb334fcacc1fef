// Plain contradictions, by the benchmark's own judgement, apart from the package's code: no rule may overlook them.

const PLAIN_NEGATIONS = new Set('not no never without cannot avoid'.split(' '))

function wordsOf(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}_']+/gu) ?? []
}

/** Is one text plainly negated more often than the other? */
export function contradicts(left, right) {
  const negations = (text) => wordsOf(text).filter((word) => PLAIN_NEGATIONS.has(word)).length
  return negations(left) !== negations(right)
}
