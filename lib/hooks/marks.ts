import { dropFramedNotes } from '../native.js'

/** Something that the agent marked to be learned. */
export interface Mark {
  type: string
  body: string
}

/**
 * The mark: a line of its own, `[remember] text` or `[remember:gotcha] text`. Without a type it is a lesson. No two parts of the pattern can take
 * the same blanks: a line of blanks is read once.
 */
const MARK = /^\s*\[remember(?::\s*([A-Za-z][\w-]{0,63}))?\]:?\s+(\S.*)$/
/** The sign of a comment in a command, with what follows it. */
const COMMENT = /^\s*(?:#+|\/\/)(.*)$/

/** The most marks that one call may leave. */
const MARKS_MAX = 20

/** Whether a text may have marks, without reading it line by line. */
export function mentionsMark(text: string): boolean {
  return text.includes('[remember')
}

/**
 * Finds the marks in what an agent said: in its own paragraphs and list items. What it quotes or shows does not count, so that a mark in a file or
 * on a page that the agent has read is not taken for its own; recalled notes are left out as well.
 */
export async function findMarks(said: string): Promise<Mark[]> {
  if (!mentionsMark(said)) return []
  const { ownLines } = await import('./own-lines.js')
  return marksIn(ownLines(dropFramedNotes(said).text, mentionsMark))
}

/** Finds the marks in the comments of a shell command. What is within quotes or a here-document is data. */
export function findCommandMarks(command: string): Mark[] {
  if (!mentionsMark(command)) return []
  const comments: string[] = []
  let quote = ''
  for (const line of command.split('\n')) {
    const [, comment] = quote === '' ? (COMMENT.exec(line) ?? []) : []
    if (comment !== undefined) {
      comments.push(comment)
      continue
    }
    if (quote === '' && /<<(?!<)/.test(line)) break
    quote = quoteAfter(line, quote)
  }
  return marksIn(comments)
}

/** The quote that is open at the end of a line of a shell command. */
function quoteAfter(line: string, before: string): string {
  let quote = before
  for (let at = 0; at < line.length; at++) {
    const sign = line[at] ?? ''
    if (sign === '\\' && quote !== "'") at++
    else if (quote === '' ? /["'`]/.test(sign) : sign === quote) quote = quote === '' ? sign : ''
  }
  return quote
}

function marksIn(lines: string[]): Mark[] {
  const found = lines.flatMap((line) => {
    const [, type = 'lesson', body] = MARK.exec(line) ?? []
    return body === undefined ? [] : [{ type: type.toLowerCase(), body: body.trim() }]
  })
  return found.slice(0, MARKS_MAX)
}
