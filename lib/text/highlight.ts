/** Runs of letters, and runs of digits: the engine takes words apart in the same places. */
const RUNS = /[\p{L}\p{M}]+|\p{N}+/gu
/** Writing without spaces between words: a match is anywhere in a run, not the whole of it. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
/** Shorter words must stand alone; longer ones may be stems, so that "mocks" marks "Mocking". */
const STEM_LENGTH_MIN = 3
/** What the engine cuts off a word to get its stem, which is always the word's beginning. */
const ENDINGS = new Set(['', 'e', 'es', 's', 'ed', 'ing', 'ings', 'ly', 'y', 'i', 'ies', 'ion', 'ions'])

/**
 * Marks the places where a matched word stands. The words are as the engine compares them: lower case, without accents;
 * they stand for every form of themselves.
 */
export function highlight(text: string, matched: string[], mark: (word: string) => string): string {
  const words = matched.map(folded).filter((word) => word !== '')
  return text.replace(RUNS, (run) => {
    if (UNSPACED.test(run)) return markWithin(run, words, mark)
    return words.some((word) => isMatch(folded(run), word)) ? mark(run) : run
  })
}

function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

function isMatch(run: string, word: string): boolean {
  return word.length < STEM_LENGTH_MIN ? run === word : run.startsWith(word) || haveOneStem(run, word)
}

/** The forms of a word differ in their endings alone; the last consonant may be doubled before one. */
function haveOneStem(one: string, other: string): boolean {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length >= STEM_LENGTH_MIN && isEnding(one, length) && isEnding(other, length)
}

function isEnding(word: string, from: number): boolean {
  return ENDINGS.has(word.slice(from)) || (word[from] === word[from - 1] && ENDINGS.has(word.slice(from + 1)))
}

function markWithin(run: string, words: string[], mark: (word: string) => string): string {
  const found = words.filter((word) => UNSPACED.test(word)).sort((a, b) => b.length - a.length)
  return found.length === 0 ? run : run.replace(new RegExp(found.join('|'), 'gu'), mark)
}
