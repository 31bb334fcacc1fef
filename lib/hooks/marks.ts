import { dropFramedNotes } from '../native.js'

/** Something that the agent marked to be learned. */
export interface Mark {
  type: string
  body: string
}

/**
 * The mark: a line of its own, `[remember] text` or `[remember:gotcha] text`. It may be a list item or a comment.
 * Without a type it is a lesson. No two parts of the pattern can take the same blanks: a line of blanks is read once.
 */
const MARK = /^\s*(?:(?:[-*>]|\d+[.)]|#+|\/\/)\s*)?\[remember(?::\s*([A-Za-z][\w-]{0,63}))?\]:?\s+(\S.*)$/

/** The most marks that one call may leave. */
const MARKS_MAX = 20

/** Whether a text may have marks, without reading it line by line. */
export function mentionsMark(text: string): boolean {
  return text.includes('[remember')
}

/**
 * Finds the marks in what an agent said. What it quotes does not count: recalled notes and fenced code are left out, so
 * that a mark in a file that the agent shows is not taken for its own.
 */
export function findMarks(said: string): Mark[] {
  const marks: Mark[] = []
  let fence: string | undefined
  for (const line of dropFramedNotes(said).text.split('\n')) {
    const [, ticks] = /^\s*(`{3,}|~{3,})/.exec(line) ?? []
    if (ticks !== undefined && (fence === undefined || ticks.startsWith(fence))) {
      fence = fence === undefined ? ticks : undefined
      continue
    }
    if (fence !== undefined) continue
    const [, type = 'lesson', body] = MARK.exec(line) ?? []
    if (body !== undefined && marks.length < MARKS_MAX) marks.push({ type: type.toLowerCase(), body: body.trim() })
  }
  return marks
}
