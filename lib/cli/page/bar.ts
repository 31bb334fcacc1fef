import type { Page } from './page.js'

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** Draws a bar in proportion to the largest value. A value above zero shows at least a sliver. */
export function bar(page: Page, value: number, largest: number, width = 24): string {
  if (value <= 0 || largest <= 0) return ''
  const length = (Math.min(value, largest) / largest) * width
  if (!page.unicode) return '#'.repeat(Math.max(1, Math.round(length)))
  const eighths = Math.max(1, Math.round(length * 8))
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '')
}
