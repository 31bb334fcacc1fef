// The memory that an agent keeps of a project by itself: a Markdown file for each topic, with front matter, what was learned, and why and how
// it applies; and `MEMORY.md`, whose lines point to these files.
import { basename } from 'node:path'
import { blankedLines, type Item, isStatement, itemsIn } from './items.js'

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
