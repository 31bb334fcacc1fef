/** A stretch of a text file that belongs to this package, between two lines that say so. Everything else is the user's. */
export interface BlockStyle {
  open: string
  close: string
}

export const MARKDOWN: BlockStyle = {
  open: '<!-- forge-memory: begin (written by `forge-memory init`; what you change in here is overwritten) -->',
  close: '<!-- forge-memory: end -->',
}

export const HASH: BlockStyle = { open: '# forge-memory: begin', close: '# forge-memory: end' }

/** Puts a block where it was, or at the end. A text whose last line has no end gets a block without one, too. */
export function putBlock(text: string, style: BlockStyle, lines: string[]): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const block = [style.open, ...lines, style.close].join(eol)
  const found = findBlock(text, style)
  if (found) return text.slice(0, found.start) + block + text.slice(found.end)
  if (text === '') return block + eol
  return text.endsWith('\n') ? text + eol + block + eol : text + eol + eol + block
}

/** Takes a block out, with the empty line that was put in front of it. */
export function dropBlock(text: string, style: BlockStyle): string {
  const found = findBlock(text, style)
  if (!found) return text
  const before = text.slice(0, found.start)
  const after = text.slice(found.end)
  if (after === '') return before.replace(/\r?\n\r?\n$/, '')
  return before.replace(/(^|\n)\r?\n$/, '$1') + after.replace(/^\r?\n/, '')
}

function findBlock(text: string, { open, close }: BlockStyle): { start: number; end: number } | undefined {
  const start = text.indexOf(open)
  const end = start < 0 ? -1 : text.indexOf(close, start)
  return end < 0 ? undefined : { start, end: end + close.length }
}
