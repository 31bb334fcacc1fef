/** The maximum length of a headline; without the end of a sentence within it, it is truncated at a word. */
const TITLE_MAX = 96
const TITLE_MIN = 12

/** The end of the first sentence, or of the first line. */
const END = /[.!?](?=\s)|\n/g

export interface Headline {
  title: string
  gist: string
  /** The offset of the rest, in UTF-16 units. */
  gistAt: number
}

/** A part of a text, in UTF-16 units. */
export interface Range {
  start: number
  end: number
}

/** Splits a text into its headline and the rest; `heading` is the length of a heading with which it begins. Together they contain all words of the text. */
export function headlineOf(text: string, heading = 0): Headline {
  if (heading > 0 && heading <= TITLE_MAX) return divide(text, heading, heading)
  for (const { 0: mark, index } of text.matchAll(END)) {
    if (index > TITLE_MAX) break
    if (index < TITLE_MIN) continue
    const isSentence = /[.!?]/.test(mark)
    return divide(text, index + (isSentence ? 1 : 0), index + mark.length)
  }
  if (text.length <= TITLE_MAX) return divide(text, text.length, text.length)
  const space = text.lastIndexOf(' ', TITLE_MAX)
  const cut = space < TITLE_MIN ? TITLE_MAX : space
  return divide(text, cut, cut)
}

function divide(text: string, titleEnd: number, restAt: number): Headline {
  const rest = text.slice(restAt)
  const gistAt = restAt + rest.length - rest.trimStart().length
  return { title: text.slice(0, titleEnd).trimEnd(), gist: rest.trim(), gistAt }
}

/** Returns the highlights of a text that lie in a part of it, counted from the beginning of that part. */
export function highlightsWithin(highlights: Range[], { start, end }: Range): Range[] {
  return highlights
    .filter((range) => range.start >= start && range.end <= end)
    .map((range) => ({ start: range.start - start, end: range.end - start }))
}
