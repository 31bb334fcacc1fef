import Table from 'cli-table3'
import cells from 'string-width'
import type { Page } from './page.js'

export interface Column {
  title: string
  align?: 'left' | 'right'
  /** This column is cut first when the page is too narrow. */
  flexible?: boolean
  /** This column goes when the page is too narrow for all others; columns without a title, which hold bars, do as well. */
  optional?: boolean
}

const GAP = 2
const FLEXIBLE_MIN = 16
/** Room for a character or two before the mark of a cut. */
const CUT_MIN = 4 + GAP

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
  const { kept, colWidths } = fitted(page, columns, rows)
  const pick = <T>(cellsOfRow: T[]): T[] => cellsOfRow.filter((_, at) => kept.includes(at))
  return drawn(page, pick(columns), rows.map(pick), colWidths)
}

function drawn(page: Page, columns: Column[], rows: string[][], colWidths: number[]): string {
  const head = columns.map((column) => page.paint('bold', column.title))
  const grid = new Table({
    chars: NO_LINES,
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [], compact: true },
    colAligns: columns.map((column) => column.align ?? 'left'),
    colWidths,
    truncate: page.unicode ? '…' : '...',
  })
  grid.push(head, ...rows)
  return grid
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

/** Chooses the columns that are shown, and how wide each is: flexible ones are cut, then optional ones go, then all are cut. */
function fitted(page: Page, columns: Column[], rows: string[][]): { kept: number[]; colWidths: number[] } {
  const natural = columns.map((column, at) => {
    return GAP + Math.max(cells(column.title), ...rows.map((row) => cells(row[at] ?? '')))
  })
  const isFlexible = (at: number) => columns[at]?.flexible === true
  let kept = columns.map((_, at) => at)
  const optional = kept.filter((at) => columns[at]?.optional === true || columns[at]?.title === '')
  for (;;) {
    const colWidths = cut(page, kept, natural, isFlexible, FLEXIBLE_MIN)
    const last = optional.pop()
    if (colWidths !== undefined) return { kept, colWidths }
    if (last === undefined) break
    kept = kept.filter((at) => at !== last)
  }
  const colWidths = cut(page, kept, natural, isFlexible, CUT_MIN) ?? cut(page, kept, natural, () => true, CUT_MIN)
  return { kept, colWidths: colWidths ?? kept.map((at) => natural[at] ?? 0) }
}

/** Cuts the widest of the columns that may be cut until all fit; undefined when they cannot. */
function cut(
  page: Page,
  kept: number[],
  natural: number[],
  mayCut: (at: number) => boolean,
  min: number,
): number[] | undefined {
  const widths = kept.map((at) => natural[at] ?? 0)
  const excess = () => widths.reduce((sum, width) => sum + width, 0) - GAP - page.width
  const room = widths.map((width, at) => (mayCut(kept[at] ?? 0) ? Math.min(width, min) : width))
  for (let left = excess(); left > 0; left = excess()) {
    let widest = -1
    for (const [at, width] of widths.entries()) {
      if (width > (room[at] ?? 0) && (widest < 0 || width > (widths[widest] ?? 0))) widest = at
    }
    if (widest < 0) return undefined
    // What is wider than the page can be cut to its width at once.
    const width = widths[widest] ?? 0
    widths[widest] = width > page.width ? Math.max(page.width, width - left) : width - 1
  }
  return widths
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
