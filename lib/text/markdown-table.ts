import cells from 'string-width'
import { oneLine } from './printable.js'

export interface MarkdownColumn {
  title: string
  /** This column is truncated when the table is too wide; all others keep their width. */
  flexible?: boolean
}

/** The width of the bar and the spaces around each column. */
const FRAME = 3
const FLEXIBLE_MIN = 20
/** The maximum column width for padding: one very long text must not make every row as long. */
const PADDING_MAX = 400

/** Returns the lines of a Markdown table at most `room` columns wide, as far as truncating the flexible column allows. */
export function markdownTable(columns: MarkdownColumn[], rows: string[][], room: number): string[] {
  const shown = rows.map((row) => row.map(cell))
  const widths = columns.map(({ title }, at) => {
    const widest = shown.reduce((most, row) => Math.max(most, width(row[at] ?? '')), width(title))
    return Math.min(widest, PADDING_MAX)
  })
  const rooms = columns.map(() => Number.POSITIVE_INFINITY)
  const flexible = columns.findIndex((column) => column.flexible)
  if (flexible >= 0 && Number.isFinite(room)) {
    const others = widths.reduce((sum, one, at) => (at === flexible ? sum : sum + one), FRAME * columns.length + 1)
    const most = Math.max(room - others, FLEXIBLE_MIN)
    rooms[flexible] = most
    widths[flexible] = Math.min(widths[flexible] ?? 0, most)
  }
  const line = (row: string[]): string =>
    widths.reduce((text, columns, at) => `${text}| ${padded(cut(row[at] ?? '', rooms[at] ?? 0), columns)} `, '')
  const rule = widths.map((columns) => `|${'-'.repeat(columns + 2)}`).join('')
  return [line(columns.map(({ title }) => title)), rule, ...shown.map(line)].map((text) => `${text}|\n`)
}

/** Escapes a bar, which would end the cell, and the backslash before it, which would undo that escape. */
function cell(text: string): string {
  const line = oneLine(text)
  return line.includes('|') ? line.replaceAll('\\|', '\\ |').replaceAll('|', '\\|') : line
}

const ASCII = /^[\x20-\x7e]*$/

/** Returns the display width of a text in terminal columns. */
export function width(text: string): number {
  return ASCII.test(text) ? text.length : cells(text)
}

/** Truncates a text to `room` columns, with an ellipsis. */
export function cut(text: string, room: number): string {
  if (width(text) <= room) return text
  let [kept, used] = ['', 0]
  for (const character of text) {
    const columns = width(character)
    if (used + columns + 1 > room) break
    kept += character
    used += columns
  }
  return `${kept.replace(/ +$/, '')}…`
}

/** Pads a text with trailing spaces to `columns` columns. */
export function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(columns - width(text), 0))
}
