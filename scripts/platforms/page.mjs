// The tables in docs/reference/platforms.md that scripts write, between marks: `<!-- name -->` and `<!-- end of name -->`.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const PAGE = fileURLToPath(new URL('../../docs/reference/platforms.md', import.meta.url))

/** Returns a table in Markdown. */
export function tableOf(head, rows) {
  const lines = [head, ...rows].map((cells) => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |'))
  return lines.toSpliced(1, 0, `|${'---|'.repeat(head.length)}`).join('\n')
}

/** Puts a table into the page. */
export function writeTable(name, table) {
  const text = readFileSync(PAGE, 'utf8')
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`docs/reference/platforms.md has no marks of ${name}`)
  writeFileSync(PAGE, `${text.slice(0, from + begin.length)}\n${table}\n${text.slice(to)}`)
}
