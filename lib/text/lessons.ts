import type { RalphAnswer, RalphClearOutcome, RalphEntry, RalphLoopCount } from '../native.js'
import { cut, markdownTable, padded, width } from './markdown-table.js'
import { oneLine } from './printable.js'

/** The output of `ralph` and of its MCP tools. Agents parse it, so every byte of it is a contract. */

const STORES = { global: '.aiwg/ralph/memory.json', external: '.aiwg/ralph-external/memory.json' }
const COLUMNS = [
  { title: 'ID' },
  { title: 'Type' },
  { title: 'Loop' },
  { title: 'Iter' },
  { title: 'Lesson', flexible: true },
  { title: 'Date' },
]
const SHOWN_ID_CHARACTERS = 8
const TITLE_COLUMNS_MAX = 60
const NO_LOOP = '(no loop)'

export const EMPTY = `No memory entries found.

Al accumulates memory as it runs loops. Start a loop:
  /ralph "your task" --completion "criteria"
`

export const QUERY_USAGE = `Error: --query is required for the 'query' subcommand.

Usage:
  /ralph-memory query --query "auth mocks"
  /ralph-memory query --query "typescript" --since 7d
`

/** Reports that there is no store, and names the first location that was searched. */
export function missingPage(store: string | undefined): string {
  return `No Al memory found at ${store === 'external' ? STORES.external : STORES.global}.

Al has not accumulated any memory yet. Run a loop first:
  /ralph "your task" --completion "criteria"
`
}

/** Reports that a store is not valid JSON. `path` comes from the engine's error; stores are always below `.aiwg`. */
export function corruptPage(path: string): string {
  const shown = path.slice(Math.max(path.lastIndexOf('.aiwg'), 0)).replaceAll('\\', '/')
  return `Memory file is not valid JSON: ${shown}

Options:
1. Delete and start fresh: rm ${shown}
2. Inspect manually to repair
`
}

/** A page whose body comes from entries, and is not to be trusted. */
export interface Page {
  head: string
  /** Entry by entry. */
  body: string[]
  foot: string
}

export const pageText = ({ head, body, foot }: Page) => head + body.join('') + foot

/** Reports that all entries are older than asked for. */
export function nothingSince(since: string): string {
  return `No memory entries since ${oneLine(since)}.\n\nTry an earlier date or list all entries:\n  /ralph-memory list\n`
}

/** Renders the table of the first entries of a list. */
export function listPage(entries: RalphEntry[], room: number, total = entries.length): Page {
  const rows = entries.map((entry) => [
    shownId(entry),
    entry.type,
    entry.loopId ?? '',
    entry.iteration === undefined ? '' : decimal(entry.iteration),
    entry.lesson,
    entry.day ?? '',
  ])
  const [titles = '', rule = '', ...body] = markdownTable(COLUMNS, rows, room)
  const rest = total > entries.length ? '...\n' : ''
  return {
    head: `Al Memory — ${counted(total)}\n\n${titles}${rule}`,
    body,
    foot: `${rest}\nUse /ralph-memory query --query "<text>" to search.\n`,
  }
}

/** Renders the ranked results of a query. */
export function queryPage(answer: RalphAnswer): Page {
  const query = oneLine(answer.query)
  if (answer.total === 0) {
    const head = `No memory entries match "${query}".\n\nTry broader terms or list all entries:\n  /ralph-memory list\n`
    return { head, body: [], foot: '' }
  }
  const noun = answer.total === 1 ? 'entry' : 'entries'
  const head = `Al Memory — query: "${query}"\n\n${answer.total} matching ${noun} (ranked by relevance):\n`
  const hidden = answer.total - answer.entries.length
  const rest = hidden > 0 ? `\n... and ${hidden} more; --limit shows more of them\n` : ''
  return { head, body: answer.entries.map(hit), foot: rest }
}

function hit(entry: RalphEntry, at: number): string {
  const origin = [
    entry.loopId === undefined ? '' : `Loop: ${oneLine(entry.loopId)}`,
    entry.iteration === undefined ? '' : `Iter: ${decimal(entry.iteration)}`,
    entry.day === undefined ? '' : `Date: ${entry.day}`,
  ]
    .filter((part) => part !== '')
    .join(', ')
  const lines = [
    `${at + 1}. [${oneLine(shownId(entry))}] ${oneLine(entry.type)} — confidence ${entry.confidence.toFixed(2)}`,
    `   Lesson: ${oneLine(entry.lesson)}`,
    entry.context === undefined ? '' : `   Context: ${oneLine(entry.context)}`,
    entry.tags.length === 0 ? '' : `   Tags: ${entry.tags.map(oneLine).join(', ')}`,
    origin === '' ? '' : `   ${origin}`,
  ]
  return `\n${lines.filter((line) => line !== '').join('\n')}\n`
}

/** Renders the loops whose lessons would be cleared, and asks for it. */
export function clearQuestion(
  { counted: count, loops, stores }: RalphClearOutcome,
  ask = "Type 'yes' to confirm:",
): string {
  const names = loops.map(({ loopId }) => (loopId === '' ? NO_LOOP : oneLine(loopId)))
  const columns = names.reduce((most, name) => Math.max(most, width(name)), 0)
  const lines = loops.map((loop, at) => {
    return `  ${padded(names[at] ?? '', columns)} — ${counted(loop.entries)}${about(loop)}\n`
  })
  const files = stores.length > 1 ? `\nMemory files:\n${stores.map((store) => `  ${store}\n`).join('')}` : ''
  const head = `This will permanently delete ${counted(count, 'memory ')}.\n\nEntries by loop:\n`
  return `${head}${lines.join('')}${files}\n${ask}\n`
}

function about({ entries, title, date }: RalphLoopCount): string {
  const parts = [title === undefined ? '' : cut(oneLine(title), TITLE_COLUMNS_MAX), date ?? '']
  const text = parts.filter((part) => part !== '').join(', ')
  // The extra space aligns singular and plural in the list above.
  return text === '' ? '' : `${entries === 1 ? ' ' : ''} (${text})`
}

/** Renders the result of clearing. */
export function clearPage({ deleted, remaining, arrived, stores }: RalphClearOutcome, loopId?: string): string {
  const done =
    loopId === undefined
      ? `Al memory cleared. ${counted(deleted)} deleted.\n${reset(stores)}`
      : `Cleared ${counted(deleted, 'memory ')} for loop ${oneLine(loopId)}.\n\n` +
        `Remaining entries: ${Math.max(remaining - arrived, 0)} (in other loops)\n`
  if (arrived === 0) return done
  return `${done}\nKept because ${arrived === 1 ? 'it' : 'they'} arrived in the meantime: ${counted(arrived)}.\n`
}

function reset(stores: string[]): string {
  return stores.length === 0 ? '' : `\n${stores.map((store) => `Memory file reset: ${store}\n`).join('')}`
}

function shownId({ id }: RalphEntry): string {
  return [...id].slice(0, SHOWN_ID_CHARACTERS).join('')
}

/** Formats a number without an exponent when it is an integer. */
function decimal(number: number): string {
  return Number.isInteger(number) ? BigInt(number).toString() : String(number)
}

/** "1 entry", "2 memory entries". */
function counted(count: number, what = ''): string {
  return `${count} ${what}${count === 1 ? 'entry' : 'entries'}`
}
