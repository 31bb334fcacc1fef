import Table from 'cli-table3'
import cells from 'string-width'
import type { Page } from './page.js'

export interface Column {
  title: string
  align?: 'left' | 'right'
  /** This column is cut when the page is too narrow; all others keep their width. */
  flexible?: boolean
}

const GAP = 2
const FLEXIBLE_MIN = 16

const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
}

/** Lays rows out under headings, without rules, so that every line can be copied or piped. */
export function table(page: Page, columns: Column[], rows: string[][]): string {
  const head = columns.map((column) => page.paint('bold', column.title))
  const grid = new Table({
    chars: NO_LINES,
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [], compact: true },
    colAligns: columns.map((column) => column.align ?? 'left'),
    colWidths: widths(page, columns, rows),
    truncate: page.unicode ? '…' : '...',
  })
  grid.push(head, ...rows)
  return grid
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

function widths(page: Page, columns: Column[], rows: string[][]): number[] {
  const natural = columns.map((column, at) => {
    return GAP + Math.max(cells(column.title), ...rows.map((row) => cells(row[at] ?? '')))
  })
  const excess = natural.reduce((sum, width) => sum + width, 0) - GAP - page.width
  if (excess <= 0) return natural
  return natural.map((width, at) => {
    return columns[at]?.flexible ? Math.max(width - excess, Math.min(width, FLEXIBLE_MIN)) : width
  })
}

/** Lays out name and value pairs, names in one column. */
export function pairs(page: Page, entries: [name: string, value: string][]): string {
  const width = Math.max(...entries.map(([name]) => cells(name)))
  const room = Math.max(page.width - width - GAP, FLEXIBLE_MIN)
  return entries
    .map(([name, value]) => {
      const [first = '', ...rest] = page.wrap(value, room).split('\n')
      const line = `${page.paint('dim', name)}${' '.repeat(width - cells(name) + GAP)}${first}`
      return [line, ...rest.map((more) => `${' '.repeat(width + GAP)}${more.trimStart()}`)]
        .map((one) => one.trimEnd())
        .join('\n')
    })
    .join('\n')
}
