// Notes as long as people really write them: from a remark of 50 bytes to a transcript of 60 KB, the length log-normal. The
// words follow Zipf's law, and each note has a topic of its own, whose words it repeats. Deterministic.
import { Random } from './random.mjs'

export const BYTES_MIN = 50
export const BYTES_MAX = 60_000
const BYTES_MEDIAN = 400
/** The standard deviation of the logarithm of the length. */
const SPREAD = 1.3

const VOCABULARY_SIZE = 40_000
const TOPIC_WORDS = 30
const TOPIC_SHARE = 0.25
/** Topics are made of words that are not frequent anyway. */
const TOPIC_RANK_MIN = 500
const SENTENCE_WORDS = 14

const REPEAT_SHARE = 0.03
const UPDATE_SHARE = 0.02
/** Notes are repeated and updated for so long. */
const REMEMBERED = 5000

const TYPES = ['lesson', 'decision', 'gotcha', 'insight']

/** The most frequent words of English text, most frequent first. */
const FUNCTION_WORDS =
  `the to a of and in is for it that on with this as be are we if from not by when at or an so have was you can but
  which all has do will they our there then only should its use been more no one would what after their i into out because
  before how also any each some other time now may must than same these first until about up where most`.split(/\s+/)

const STARTS = 'b bl br c ch cl cr d dr f fl g gr h j k l m n p pl pr qu r s sc sh sk sp st t th tr v w'.split(' ')
const MIDDLES = 'a e i o u ai ea ie oa ou'.split(' ')
const ENDS = 'b ck d ft g l ll lt m mp n nd nk p r rd rk s sh st t x'.split(' ')

/** Spells a number as a word that can be pronounced, another one for every number. */
function spell(number) {
  const take = (list) => {
    const letters = list[number % list.length]
    number = Math.floor(number / list.length)
    return letters
  }
  let word = take(STARTS) + take(MIDDLES)
  while (number > 0) word += take(ENDS) + take(MIDDLES)
  return word
}

function makeVocabulary() {
  const words = new Set(FUNCTION_WORDS)
  for (let number = 0; words.size < VOCABULARY_SIZE; number++) words.add(spell((number * 7919) % 1_000_003))
  return [...words]
}

const VOCABULARY = makeVocabulary()
const CUMULATIVE = (() => {
  let sum = 0
  const sums = VOCABULARY.map((_, rank) => {
    sum += 1 / (rank + 1.7)
    return sum
  })
  return Float64Array.from(sums, (partial) => partial / sum)
})()

const RANKS = new Map(VOCABULARY.map((word, rank) => [word, rank]))

/** What queries for notes are made of. */
export const NOTE_WORDS = {
  rankOf: (word) => RANKS.get(word),
  isStopWord: (word) => (RANKS.get(word) ?? VOCABULARY_SIZE) < FUNCTION_WORDS.length,
}

function drawRank(random) {
  const wanted = random.next()
  let [low, high] = [0, VOCABULARY_SIZE - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (CUMULATIVE[middle] < wanted) low = middle + 1
    else high = middle
  }
  return low
}

function drawLength(random) {
  const normal = Math.sqrt(-2 * Math.log(random.next() || 1e-9)) * Math.cos(2 * Math.PI * random.next())
  return Math.round(Math.min(BYTES_MAX, Math.max(BYTES_MIN, BYTES_MEDIAN * Math.exp(normal * SPREAD))))
}

/** Returns a note of about this many bytes. */
export function makeNote(random, bytes) {
  const topic = Array.from(
    { length: TOPIC_WORDS },
    () => TOPIC_RANK_MIN + random.below(VOCABULARY_SIZE - TOPIC_RANK_MIN),
  )
  const words = []
  let size = 0
  const add = (word) => {
    words.push(word)
    size += word.length + 1
  }
  add('limit')
  add(String(100 + random.below(900)))
  while (size < bytes) {
    const word = VOCABULARY[random.chance(TOPIC_SHARE) ? random.pick(topic) : drawRank(random)]
    add(words.length % SENTENCE_WORDS === 0 ? `${word}.` : word)
  }
  return words.join(' ')
}

/** The same note, written down again. */
const repeat = (text) => `Note that ${text}.`
/** The same note with its number changed. */
const update = (text, random) => text.replace(/\d+/, () => String(1000 + random.below(9000)))

/**
 * Yields `count` notes: `{ type, content, editOf?, edit? }`. `edit` is `repeat` where the note says nothing new and `update`
 * where a number of the note `editOf` has changed; both are labels, no measured program sees them.
 */
export function* notes(count, seed = 31) {
  const random = new Random(seed)
  const kept = []
  for (let position = 0; position < count; position++) {
    const dice = random.next()
    if (kept.length > 20 && dice < REPEAT_SHARE + UPDATE_SHARE) {
      const of = random.pick(kept)
      const edit = dice < REPEAT_SHARE ? 'repeat' : 'update'
      const content = edit === 'repeat' ? repeat(of.content) : update(of.content, random)
      yield { type: of.type, content, editOf: of.position, edit }
      continue
    }
    const note = { type: random.pick(TYPES), content: makeNote(random, drawLength(random)) }
    if (kept.length < REMEMBERED) kept.push({ ...note, position })
    yield note
  }
}
