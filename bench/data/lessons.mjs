// The stream of lessons that every measurement is fed with. Deterministic: seed and position decide everything.
import { Random } from './random.mjs'
import { drawWord } from './vocabulary.mjs'

const PATH_SHARE = 0.15
const ERROR_CODE_SHARE = 0.1
const EDITED_SHARE = 0.05

/** A type that stands here twice is drawn twice as often. */
const TYPES = ['lesson', 'lesson', 'lesson', 'decision', 'gotcha', 'pattern', 'convention']

const substitute = (count) => (words, random) => {
  for (let step = 0; step < count; step++) words[random.below(words.length)] = drawWord(random)
}

/** How an earlier lesson is changed to make a (near) duplicate of it. Each function changes the words in place. */
const EDITS = {
  exact: () => {},
  case: (words, random) => {
    const at = random.below(words.length)
    words[at] = words[at].toUpperCase()
  },
  reorder: (words, random) => {
    words.push(...words.splice(0, random.below(words.length)))
  },
  sub1: substitute(1),
  sub2: substitute(2),
  sub4: substitute(4),
  append: (words, random) => {
    words.push(drawWord(random), drawWord(random), drawWord(random))
  },
  drop: (words, random) => {
    random.take(words)
    random.take(words)
  },
  number: (words, random) => {
    words[random.below(words.length)] = String(random.below(1000))
  },
}
const EDIT_WEIGHTS = { exact: 2, case: 1, reorder: 1, sub1: 2, sub2: 2, sub4: 1, append: 1, drop: 1, number: 1 }
const EDIT_DRAWS = Object.entries(EDIT_WEIGHTS).flatMap(([name, weight]) => Array(weight).fill(name))

function freshWords(random) {
  // 16 to 30 words, 23 in the mean.
  const length = 16 + random.below(8) + random.below(8)
  const words = Array.from({ length }, () => drawWord(random))
  if (random.chance(PATH_SHARE)) {
    words[random.below(length)] = `src/${drawWord(random)}/${drawWord(random)}.ts:${1 + random.below(900)}`
  }
  if (random.chance(ERROR_CODE_SHARE)) words[random.below(length)] = `E${1000 + random.below(9000)}`
  return words
}

function sentence(words) {
  const text = words.join(' ')
  return `${text[0].toUpperCase()}${text.slice(1)}.`
}

/** A distance back into the past, from 1 to `position`, drawn so that each order of magnitude is as likely as the next. */
function drawLag(position, random) {
  const lag = Math.floor(Math.exp(random.next() * Math.log(position + 1)))
  return Math.max(1, Math.min(position, lag))
}

/**
 * Yields `count` lessons: `{ type, content, editOf?, edit? }`. `editOf` is the position of the earlier lesson that this
 * one was made from, `edit` says how; both are labels, no measured program sees them.
 */
export function* lessons(count, seed = 20) {
  const random = new Random(seed)
  const lines = []
  const types = []
  for (let position = 0; position < count; position++) {
    const lesson = {}
    let words
    if (position > 0 && random.chance(EDITED_SHARE)) {
      lesson.editOf = position - drawLag(position, random)
      lesson.edit = random.pick(EDIT_DRAWS)
      words = lines[lesson.editOf].split(' ')
      EDITS[lesson.edit](words, random)
      lesson.type = types[lesson.editOf]
    } else {
      words = freshWords(random)
      lesson.type = random.pick(TYPES)
    }
    lines.push(words.join(' '))
    types.push(lesson.type)
    lesson.content = sentence(words)
    yield lesson
  }
}
