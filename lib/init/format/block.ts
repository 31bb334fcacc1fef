import { refusal } from './refusal.js'

/** A block of a text file that belongs to this package, between two marker lines. Everything else is the user's. */
export interface BlockStyle {
  open: string
  close: string
  /** True if lines that users add inside the block are kept. */
  keepsOthers: boolean
}

export const MARKDOWN: BlockStyle = {
  open: '<!-- forge-memory: begin (written by `forge-memory init`; what you change in here is overwritten) -->',
  close: '<!-- forge-memory: end -->',
  keepsOthers: false,
}

export const HASH: BlockStyle = { open: '# forge-memory: begin', close: '# forge-memory: end', keepsOthers: true }

/** Replaces the block, or appends it. When the last line of the file has no line end, neither has the block. */
export function putBlock(path: string, text: string, style: BlockStyle, lines: string[]): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const found = findBlock(path, text, style)
  const others = found === undefined ? [] : othersIn(text, found, style, lines)
  const block = [style.open, ...lines, ...others, style.close].join(eol)
  if (found) return text.slice(0, found.start) + block + text.slice(found.end)
  if (text === '') return block + eol
  return text.endsWith('\n') ? text + eol + block + eol : text + eol + eol + block
}

/** Removes the block, with the empty line that was added before it. */
export function dropBlock(path: string, text: string, style: BlockStyle, lines: string[]): string {
  const found = findBlock(path, text, style)
  if (!found) return text
  const before = text.slice(0, found.start)
  const after = text.slice(found.end)
  const others = othersIn(text, found, style, lines)
  if (others.length > 0) return before + others.join(text.includes('\r\n') ? '\r\n' : '\n') + after
  if (after === '') return before.replace(/\r?\n\r?\n$/, '')
  return before.replace(/(^|\n)\r?\n$/, '$1') + after.replace(/^\r?\n/, '')
}

function othersIn(text: string, { start, end }: Place, style: BlockStyle, lines: string[]): string[] {
  if (!style.keepsOthers) return []
  const inside = text.slice(start, end).split(/\r?\n/).slice(1, -1)
  return inside.filter((line) => line.trim() !== '' && !lines.includes(line))
}

interface Place {
  start: number
  end: number
}

/** Finds the block. Throws when the markers do not pair up, because its extent is ambiguous then. */
function findBlock(path: string, text: string, { open, close }: BlockStyle): Place | undefined {
  const opens = linesOf(text, open)
  const [first, second] = opens
  if (first === undefined) return undefined
  const end = linesOf(text, close).find((at) => at > first)
  if (end === undefined || (second !== undefined && second < end)) {
    const hint = `put the line "${close}" where that part ends, or remove the line that begins it; nothing was written`
    throw refusal(path, `has the line "${open}" without the one that ends that part`, hint)
  }
  if (second !== undefined) {
    throw refusal(path, `has the line "${open}" twice`, 'remove one of the two parts by hand; nothing was written')
  }
  return { start: first, end: end + close.length }
}

/** Returns the offsets of all lines that equal this one. */
function linesOf(text: string, line: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(line); at >= 0; at = text.indexOf(line, at + line.length)) {
    const isStart = at === 0 || text[at - 1] === '\n' || (at === 1 && text[0] === '\ufeff')
    const rest = text.slice(at + line.length, at + line.length + 2)
    if (isStart && (rest === '' || rest.startsWith('\n') || rest === '\r\n')) places.push(at)
  }
  return places
}
