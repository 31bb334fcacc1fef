import { oneLine } from '../../text/printable.js'
import { headlineOf, type Range } from './title.js'

/** As much of a text as a row can show. */
const SHOWN = 2000
/** Marks of Markdown for the look of a text, not its meaning: of headings, lists, quotes and code blocks, bold text and code. */
const MARKS = /^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,3}[.)])[ \t]+|^[ \t]*(?:```|~~~)[^\n]*\n?|\*\*|`+/gm

/** A heading in the first line. */
const HEADING = /^\s*#{1,6}[ \t]+\S[^\n]*/

export interface Plain {
  text: string
  highlights: Range[]
  /** Where a heading in its first line ends; 0 when there is none. */
  heading: number
}

/** Removes the marks of Markdown from the beginning of a text, for a row in a list, and moves the highlights accordingly. */
export function plainOf(text: string, highlights: Range[] = []): Plain {
  const head = text.slice(0, SHOWN)
  let plain = ''
  let from = 0
  const removed: { at: number; by: number }[] = []
  for (const { 0: mark, index } of head.matchAll(MARKS)) {
    plain += head.slice(from, index)
    from = index + mark.length
    removed.push({ at: index, by: mark.length })
  }
  plain += head.slice(from)
  const moved = (at: number): number => {
    let by = 0
    for (const one of removed) if (one.at < at) by += Math.min(one.by, at - one.at)
    return at - by
  }
  const kept = highlights
    .map(({ start, end }) => ({ start: moved(start), end: moved(end) }))
    .filter(({ start, end }) => start < end && end <= plain.length)
  return { text: plain, highlights: kept, heading: moved(HEADING.exec(head)?.[0].length ?? 0) }
}

/** The beginning of a text in one line. */
export const lineOf = (text: string): string => oneLine(plainOf(text).text)

/** The headline of a text. */
export function titleOf(text: string): string {
  const plain = plainOf(text)
  return oneLine(headlineOf(plain.text, plain.heading).title)
}
