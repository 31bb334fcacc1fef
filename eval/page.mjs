// Tables for people, and the places of figures on pages.

/** Columns as wide as their cells, for a terminal. */
export function wide(head, body) {
  const widths = head.map((cell, at) => Math.max(...[head, ...body].map((row) => row[at].length), cell.length))
  const line = (cells) => `| ${cells.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body.map(line)]
}

/** Columns as short as can be, for a page. */
export function narrow(head, body) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...body.map(line)]
}

/** Returns the page with another text between two marks. */
export function putBetween(page, [begin, end], text) {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`the page has no place for figures: ${begin}`)
  return `${page.slice(0, from + begin.length)}\n\n${text}\n${page.slice(to)}`
}
