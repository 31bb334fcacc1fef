// Words as the plain baselines see them: runs of letters and digits, parts of identifiers, a stop list, Snowball English.
import { stemmer } from '@orama/stemmers/english'

const STOP_WORDS = new Set(
  `a about above after again against all am an and any are as at be because been before being below between both but by can cannot
  could did do does doing down during each few for from further had has have having he her here hers herself him himself his how i if
  in into is it its itself just me more most my myself no nor not now of off on once only or other our ours ourselves out over own same
  she should so some such than that the their theirs them themselves then there these they this those through to too under until up
  very was we were what when where which while who whom why will with would you your yours yourself yourselves`.split(
    /\s+/,
  ),
)
const RUN = /[\p{L}\p{N}_]+/gu
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|[\p{Lo}\p{Lm}]+/gu

/** Returns the words of a text, without stop words; a name is there whole and in parts. */
export function wordsOf(text) {
  const words = []
  for (const run of text.normalize('NFKC').match(RUN) ?? []) {
    const whole = run.toLowerCase()
    if (!STOP_WORDS.has(whole)) words.push(whole)
    const parts = run.match(PART) ?? []
    if (parts.length < 2) continue
    for (const part of parts) if (!STOP_WORDS.has(part.toLowerCase())) words.push(part.toLowerCase())
  }
  return words
}

const stems = new Map()

export function stem(word) {
  let known = stems.get(word)
  if (known === undefined) {
    known = stemmer(word)
    stems.set(word, known)
  }
  return known
}
