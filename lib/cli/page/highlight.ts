/** Runs of letters, and runs of digits: the engine takes words apart in the same places. */
const RUNS = /[\p{L}\p{M}]+|\p{N}+/gu
/** Writing without spaces between words: a match is anywhere in a run, not the whole of it. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
/** Shorter words must stand alone; longer ones may be stems, so that "mock" marks "Mocking". */
const STEM_LENGTH_MIN = 3

/**
 * Marks the places where a matched word stands. The words are as the engine compares them: lower case, without accents,
 * and often without their ending.
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
  return word.length < STEM_LENGTH_MIN ? run === word : run.startsWith(word)
}

function markWithin(run: string, words: string[], mark: (word: string) => string): string {
  const found = words.filter((word) => UNSPACED.test(word)).sort((a, b) => b.length - a.length)
  return found.length === 0 ? run : run.replace(new RegExp(found.join('|'), 'gu'), mark)
}
