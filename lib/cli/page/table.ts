import Table from 'cli-table3'
import cells from 'string-width'
import type { Page } from './page.js'

export interface Column {
  title: string
  align?: 'left' | 'right'
  /** This column is truncated first when the page is too narrow. */
  flexible?: boolean
  /**
   * This column is dropped when the page is too narrow for all others. So are columns without a title, which contain
   * bars.
   */
  optional?: boolean
}

/** A column of numbers. */
export const right = (title: string): Column => ({ title, align: 'right' })
export const flexible = (title: string): Column => ({ title, flexible: true })
export const optional = (title: string): Column => ({ title, optional: true })

const GAP = 2
const FLEXIBLE_MIN = 16
/** The minimum width of a truncated column: a character or two before the ellipsis. */
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

/** A cell that leads to a file. */
export interface CellLink {
  text: string
  /** An absolute path. */
  path: string
}

/**
 * Renders a table with headings and without rules, so that every line can be copied or piped. `links` has one entry per
 * row; a cell that was truncated is not linked.
 */
export function table(
  page: Page,
  named: (Column | string)[],
  rows: string[][],
  links: (CellLink | undefined)[] = [],
): string {
  const columns = named.map((column): Column => (typeof column === 'string' ? { title: column } : column))
  const { kept, colWidths } = fitted(page, columns, rows)
  const pick = <T>(cellsOfRow: T[]): T[] => cellsOfRow.filter((_, at) => kept.includes(at))
  const [head, ...lines] = drawn(page, pick(columns), rows.map(pick), colWidths).split('\n')
  return [head, ...lines.map((line, at) => linked(line, links[at], page))].join('\n')
}

function linked(line: string, link: CellLink | undefined, page: Page): string {
  return link === undefined ? line : line.replace(link.text, () => page.link(link.path, link.text))
}

function drawn(page: Page, columns: Column[], rows: string[][], colWidths: number[]): string {
  const head = columns.map((column) => page.paint('strong', column.title))
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

/**
 * Chooses the columns to show and their widths: truncates flexible columns, then drops optional ones, then truncates
 * all.
 */
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

/** Truncates the widest of the given columns until all fit; undefined when that is impossible. */
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
    // A column wider than the page is first reduced to the width of the page.
    const width = widths[widest] ?? 0
    widths[widest] = width > page.width ? Math.max(page.width, width - left) : width - 1
  }
  return widths
}

/** Renders name and value pairs, with the names aligned in one column. */
export function pairs(page: Page, entries: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...entries.map(([name]) => cells(name)))
  const room = Math.max(page.width - width - GAP, FLEXIBLE_MIN)
  return entries
    .map(([name, value]) => {
      const [first = '', ...rest] = page.wrap(value, room).split('\n')
      const line = `${page.paint('quiet', name)}${' '.repeat(width - cells(name) + GAP)}${first}`
      return [line, ...rest.map((more) => `${' '.repeat(width + GAP)}${more.trimStart()}`)]
        .map((one) => one.trimEnd())
        .join('\n')
    })
    .join('\n')
}
