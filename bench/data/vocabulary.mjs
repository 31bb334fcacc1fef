// The 5000 words of the generated lessons, most frequent first: stop words, then the words that programmers use, then
// invented words that can be pronounced. A word's frequency follows from its rank (Zipf's law, exponent 1).
import { Random } from './random.mjs'

const SIZE = 5000

/** The most frequent words. Queries never use them. */
const STOP_WORDS = 'the to a of and in is for with on when it not are'.split(' ')

// Words that say the opposite (`never`, `before`) are frequent here on purpose: an edit that touches one of them makes a
// text that looks like a duplicate and is not.
const PROGRAMMING_WORDS = `
  use must before if after from that always file test run this config as build never error by only path code call
  function cache check set type without value first module key avoid default import command then instead export return
  enable request disable server response client database query index schema migration table column token session user
  queue worker retry timeout lock thread async await promise null true false string number array object list map parse
  format log trace metric deploy container pipeline job commit branch merge release version package dependency install
  update upgrade rollback flag environment variable secret header route handler middleware hook event message stream
  buffer socket port host proxy cluster node replica shard backup restore snapshot folder directory symlink permission
  encode decode escape quote newline locale timezone clock date interval schedule cron render component state props style
  layout fixture mock stub assert snapshot coverage lint compile link bundle watch debug profile memory leak heap stack
  overflow panic throw catch finally iterator closure generic interface abstract private public static const mutable
`
  .trim()
  .split(/\s+/)

const ONSETS = 'b d f g h j k l m n p r s t v w z bl br cl cr dr fr gl gr pl pr sk sl sm sn st str sw th tr tw'.split(
  ' ',
)
const VOWELS = 'a e i o u a e i o u ai ea ee io oo ou'.split(' ')
const CODAS = ['', '', '', '', 'l', 'm', 'n', 'p', 'r', 's', 't', 'nd', 'rk', 'st', 'x']
const ENDINGS = 'er ing al ive ment ness or ed ure age'.split(' ')

function syllable(random) {
  return random.pick(ONSETS) + random.pick(VOWELS) + random.pick(CODAS)
}

function inventWord(random) {
  let word = syllable(random)
  const shape = random.next()
  if (shape < 0.78) word += syllable(random)
  if (shape < 0.4) word += random.pick(ENDINGS)
  if (shape > 0.92) word += `_${syllable(random)}`
  return word
}

function makeVocabulary() {
  const words = new Set([...STOP_WORDS, ...PROGRAMMING_WORDS])
  const random = new Random(1009)
  while (words.size < SIZE) words.add(inventWord(random))
  return [...words]
}

export const VOCABULARY = makeVocabulary()

const RANKS = new Map(VOCABULARY.map((word, rank) => [word, rank]))

/** The word's place by frequency, or undefined for a path, a number, an error code. */
export function rankOf(word) {
  return RANKS.get(word)
}

export function isStopWord(word) {
  const rank = RANKS.get(word)
  return rank !== undefined && rank < STOP_WORDS.length
}

const CUMULATIVE = (() => {
  const sums = new Float64Array(SIZE)
  let sum = 0
  for (let rank = 0; rank < SIZE; rank++) sums[rank] = sum += 1 / (rank + 1)
  return sums.map((partial) => partial / sum)
})()

/** Draws one word by its frequency. */
export function drawWord(random) {
  const wanted = random.next()
  let low = 0
  let high = SIZE - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (CUMULATIVE[middle] < wanted) low = middle + 1
    else high = middle
  }
  return VOCABULARY[low]
}
