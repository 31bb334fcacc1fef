// Two texts of nearly the same words that say the opposite are no duplicates. This is the benchmark's own judgement of that,
// apart from the package's code. The broad test must explain every near pair that the package keeps apart; the narrow one
// names contradictions that no rule may overlook.

const NEGATIONS = new Set(
  `not no never none nothing nobody nowhere neither nor without cannot cant can't dont don't doesnt doesn't didnt didn't isnt
  isn't arent aren't wasnt wasn't werent weren't wont won't wouldnt wouldn't shouldnt shouldn't couldnt couldn't mustnt mustn't
  hasnt hasn't havent haven't aint ain't avoid stop prevent forbid forbidden disallow refuse except unless non`.split(
    /\s+/,
  ),
)
const OPPOSITES = new Set(
  `always before after enable disable enabled disabled allow deny allowed denied include exclude with true false on off first
  last above below more less increase decrease add remove required optional safe unsafe valid invalid sync async synchronous
  asynchronous minimum maximum min max mutable immutable public private`.split(/\s+/),
)
/** Words whose two sides may not change places: "A before B" is not "B before A". */
const ORDER_WORDS = new Set(
  `before after then from to into over than until instead rather requires causes followed precedes`.split(/\s+/),
)
const PLAIN_NEGATIONS = new Set('not no never without cannot avoid'.split(' '))

function wordsOf(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}_']+/gu) ?? []
}

function count(words) {
  const counts = new Map()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** Words that one text has more often than the other. */
function surplus(left, right) {
  const others = count(right)
  return [...count(left)].filter(([word, times]) => times > (others.get(word) ?? 0)).map(([word]) => word)
}

function changedSides(left, right, marker) {
  const [leftAt, rightAt] = [left.indexOf(marker), right.indexOf(marker)]
  if (leftAt < 0 || rightAt < 0) return false
  const [leftHead, rightHead] = [left.slice(0, leftAt), right.slice(0, rightAt)]
  return surplus(leftHead, rightHead).length > 0 && surplus(rightHead, leftHead).length > 0
}

/** Do the texts differ in a word of negation or opposition, or do the sides of an order word differ? */
export function mayOppose(left, right) {
  const [leftWords, rightWords] = [wordsOf(left), wordsOf(right)]
  const different = [...surplus(leftWords, rightWords), ...surplus(rightWords, leftWords)]
  if (different.some((word) => NEGATIONS.has(word) || OPPOSITES.has(word))) return true
  return [...ORDER_WORDS].some((marker) => changedSides(leftWords, rightWords, marker))
}

/** Is one text plainly negated more often than the other? */
export function contradicts(left, right) {
  const negations = (text) => wordsOf(text).filter((word) => PLAIN_NEGATIONS.has(word)).length
  return negations(left) !== negations(right)
}
