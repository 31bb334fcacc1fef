import cells from 'string-width'
import { CODES, CSI } from './terminal.js'

/** Letters of scripts that are written without spaces, and signs as wide as they are. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\uff01-\uff5e]/u
const OPENING = /^[\p{Ps}\p{Pi}]/u
/** What does not begin a line: the end of a clause or a pair, and letters that belong to the one before. */
const CLOSING = /^[\p{Pe}\p{Pf}\p{Po}ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ]/u

/**
 * Wraps lines to the given number of terminal cells, between words: a word that is longer than a line stays whole, so that ids, paths
 * and options can be copied. Text without spaces is wrapped between its letters. Wide characters count as two cells, codes as none.
 */
export function wrap(text: string, room: number): string {
  return text
    .split('\n')
    .map((line) => rowsOf(line, room))
    .flatMap(eachPainted)
    .join('\n')
}

function rowsOf(line: string, room: number): string[] {
  const rows: string[] = []
  let [row, width, hasWord] = ['', 0, false]
  // The first of each two is a word, with its codes, and the second the spaces after it.
  let gap = ''
  for (const [at, part] of line.split(/( +)/).entries()) {
    if (at % 2 === 1) {
      gap = part
      continue
    }
    for (const piece of piecesOf(part)) {
      const own = cells(piece)
      if (hasWord && own > 0 && width + gap.length + own > room) {
        rows.push(row)
        ;[row, width] = [piece, own]
      } else {
        row += gap + piece
        width += gap.length + own
      }
      gap = ''
      hasWord ||= own > 0
    }
  }
  return [...rows, row]
}

/** The parts of a word between which a line may end: one, where words have spaces between them. */
function piecesOf(word: string): string[] {
  if (!UNSPACED.test(word)) return [word]
  const pieces: string[] = []
  let before = ''
  for (const part of word.split(CODES)) {
    const letters = CODES.test(part) ? [part] : [...new Intl.Segmenter().segment(part)].map(({ segment }) => segment)
    for (const letter of letters) {
      if (pieces.length > 0 && !mayPart(before, letter)) pieces.push(`${pieces.pop()}${letter}`)
      else pieces.push(letter)
      if (!CODES.test(letter)) before = letter
    }
  }
  return pieces
}

function mayPart(before: string, after: string): boolean {
  if (CODES.test(after) || OPENING.test(before) || CLOSING.test(after)) return false
  return UNSPACED.test(before) || UNSPACED.test(after)
}

/** Ends the colours of a line that goes on at its end, and begins them again on the next: what is put before it stays as it is. */
function eachPainted(rows: string[]): string[] {
  if (rows.length === 1) return rows
  let open: { code: string; end: number }[] = []
  return rows.map((row) => {
    const begin = open.map(({ code }) => code).join('')
    for (const code of row.split(CODES).filter((part) => part.startsWith(CSI))) {
      const number = Number.parseInt(code.slice(2), 10) || 0
      if (ENDS.includes(number)) open = open.filter(({ end }) => end !== number)
      else open = number === 0 ? [] : [...open, { code, end: endOf(number) }]
    }
    return `${begin}${row}${open.map(({ end }) => `${CSI}${end}m`).join('')}`
  })
}

const ENDS = [22, 23, 24, 27, 28, 29, 39, 49]

/** The code that ends what another one begins. */
function endOf(begins: number): number {
  if (begins === 1) return 22
  if (begins < 10) return begins + 20
  return begins % 60 < 40 ? 39 : 49
}
