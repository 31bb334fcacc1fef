import { basename } from 'node:path'

// Splits a Markdown file of instructions into statements: list items and paragraphs.

/** A statement and its position. */
export interface Item {
  text: string
  /** The line on which it begins, counted from 1. */
  line: number
  /** The type of the record, derived from the heading above it. */
  type: string
}

const CHARS_MAX = 2000
const WORDS_MIN = 3
const ITEM = /^(\s*)(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/
const FENCE = /^\s*(`{3,}|~{3,})/
const OURS = [
  [/^\s*<!-- forge-memory: begin/, /^\s*<!-- forge-memory: end -->/],
  [/^\s*<!-- plan-forge: begin -->/, /^\s*<!-- plan-forge: end -->/],
] as const

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/decision|adr\b|architecture/i, 'decision'],
  [/gotcha|pitfall|caveat|known issue|watch out|beware/i, 'gotcha'],
  [/lesson|learned|learning|mistake/i, 'lesson'],
]

/**
 * Returns the statements of a text, without front matter, comments, code blocks, tables, quotations, imports, private parts and blocks
 * that this package wrote.
 */
export function itemsIn(text: string): Item[] {
  const lines = blankedLines(text)
  const items: Item[] = []
  let type = 'convention'
  let open: Item | undefined
  const close = () => {
    if (open !== undefined && isStatement(open.text)) items.push(open)
    open = undefined
  }
  lines.forEach((line, at) => {
    const trimmed = line.trim()
    const [, , item] = ITEM.exec(line) ?? []
    const heading = /^#{1,6}\s+(.*)$/.exec(trimmed)?.[1]
    if (trimmed === '' || heading !== undefined || isIrrelevant(trimmed)) {
      close()
      if (heading !== undefined) type = TYPES.find(([words]) => words.test(heading))?.[1] ?? 'convention'
    } else if (item !== undefined) {
      close()
      open = { text: item.trim(), line: at + 1, type }
    } else if (open !== undefined) open.text = `${open.text} ${trimmed}`
    else open = { text: trimmed, line: at + 1, type }
  })
  close()
  return items
}

function isStatement(text: string): boolean {
  return text.length <= CHARS_MAX && text.split(/\s+/).length >= WORDS_MIN && /\p{L}{2}/u.test(text)
}

/** Tables, quotations, horizontal rules, bare links and imports of files are not statements. */
function isIrrelevant(line: string): boolean {
  return (
    /^[|>]/.test(line) || /^([-*_=]\s?){3,}$/.test(line) || /^@\S+$/.test(line) || /^!?\[[^\]]*\]\([^)]*\)$/.test(line)
  )
}

/** Returns the lines of a text, with an empty one in place of each line that is not part of a statement. */
function blankedLines(text: string): string[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|[\r\n]/)
  blankFrontMatter(lines)
  blankOurs(lines)
  blankFences(lines)
  return blankComments(lines.join('\n')).split('\n')
}

function blankFrontMatter(lines: string[]): void {
  if (lines[0]?.trimEnd() !== '---') return
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---')
  if (end > 0) lines.fill('', 0, end + 1)
}

/** An unclosed block of ours extends to the end of the file. */
function blankOurs(lines: string[]): void {
  for (const [begin, finish] of OURS) {
    for (let at = 0; at < lines.length; at++) {
      if (!begin.test(lines[at] ?? '')) continue
      const end = lines.findIndex((line, below) => below > at && finish.test(line))
      lines.fill('', at, end < 0 ? lines.length : end + 1)
    }
  }
}

function blankFences(lines: string[]): void {
  let fence: string | undefined
  lines.forEach((line, at) => {
    const [, mark] = FENCE.exec(line) ?? []
    const isEnd = fence !== undefined && mark?.[0] === fence[0] && (mark?.length ?? 0) >= fence.length
    if (fence !== undefined || mark !== undefined) lines[at] = ''
    if (isEnd) fence = undefined
    else fence ??= mark
  })
}

/** Comments and private parts are replaced by their line ends, so that line numbers stay right. */
function blankComments(text: string): string {
  let left = text
  for (const [begin, end] of [
    ['<!--', '-->'],
    ['<private>', '</private>'],
  ] as const) {
    let kept = ''
    let from = 0
    for (let at = left.indexOf(begin); at >= 0; at = left.indexOf(begin, from)) {
      const close = left.indexOf(end, at)
      const to = close < 0 ? left.length : close + end.length
      kept += left.slice(from, at) + left.slice(at, to).replace(/[^\n]/g, '')
      from = to
    }
    left = kept + left.slice(from)
  }
  return left
}

// The memory that an agent keeps of a project by itself: a Markdown file for each topic, with front matter, what was learned, and why and how
// it applies; and `MEMORY.md`, whose lines point to these files.

const INDEX = 'MEMORY.md'
/** A line of the index: a link to a file beside it, and a few words about it. */
const POINTER = /^\[[^\]]*\]\((?!\w+:)[^)]*\.md(?:#[^)]*)?\)/

/** Returns the statements of such a file: a topic is one, with its why and how; a pointer is none. */
export function ownItemsIn(path: string, text: string): Item[] {
  if (basename(path) === INDEX) return itemsIn(text).filter((item) => !POINTER.test(item.text))
  const lines = blankedLines(text).map((line) => line.trim())
  const isText = (line: string) => line !== '' && !/^#{1,6}\s/.test(line)
  const first = lines.findIndex(isText)
  const topic = lines.filter(isText).join('\n')
  // What is too long for one record is taken statement by statement.
  if (first < 0 || !isStatement(topic)) return itemsIn(text)
  return [{ text: topic, line: first + 1, type: itemsIn(text)[0]?.type ?? 'convention' }]
}
