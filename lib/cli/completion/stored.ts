// Values that the memory of the project knows: ids, tags, types, sources.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  listConflicts,
  listDeadLetters,
  listMemories,
  memoryDir,
  type ProjectOptions,
  type RecallHit,
} from '../../native.js'
import { shortId } from '../../shared/identity.js'
import { TYPES } from '../../shared/known-types.js'
import { oneLine } from '../../text/printable.js'

/** How many of the newest records are looked at: one page of the engine. */
const RECORDS_MAX = 1000
const IDS_SHOWN = 50
const ABOUT_MAX = 60
/** Without an index, a larger memory takes longer to read than a key press may. */
const UNINDEXED_BYTES_MAX = 4 * 1024 * 1024

/**
 * Only these are offered. A shell puts a candidate into the line that is run next, and a clone may contain any text: words
 * that a shell would interpret are left out.
 */
const PLAIN_WORD = /^[\p{L}\p{N}_][\p{L}\p{N}_.:@/+,=-]{0,99}$/u

export interface Wanted {
  /** The name of the option's value or of the argument, as help shows it. */
  name: string
  /** The words of the command. */
  group: string
  current: string
  project?: string
}

/** Returns the values of the store for an option or an argument; none when it has no such values. */
export function storedValues({ name, group, current, project }: Wanted): Candidate[] {
  const source = sourceFor(name, group)
  if (source === undefined) return []
  const options = project === undefined ? {} : { projectDir: project }
  const found = isQuick(options) ? source(options) : []
  const wanted = name === 'type' ? [...TYPES.map((value) => ({ value, about: '' })), ...found] : found
  const values = new Map(wanted.map((each) => [each.value, each]))
  return [...values.values()]
    .filter(({ value }) => PLAIN_WORD.test(value) && value.startsWith(current))
    .slice(0, name.startsWith('id') ? IDS_SHOWN : RECORDS_MAX)
}

type Source = (options: ProjectOptions) => Candidate[]

function sourceFor(name: string, group: string): Source | undefined {
  if (name === 'id' || name === 'ids') return IDS[group] ?? ids
  if (name === 'tag') return (options) => counted(recordsOf(options).flatMap(({ tags }) => tags))
  if (name === 'type') return (options) => counted(recordsOf(options).map(({ type }) => type))
  if (name === 'source' && group !== 'share brain replay')
    return (options) => counted(recordsOf(options).map(({ source }) => source))
  return undefined
}

/** Commands whose ids are not those of all records. */
const IDS: Record<string, Source> = {
  // Not `listReview`, which looks for similar records of each, and takes longer the more there are.
  review: (options) =>
    [
      ...recordsOf(options).filter(({ proposed }) => proposed),
      ...listConflicts(options).flatMap(({ newer, older }) => [newer, older]),
    ].map(({ id, text }) => candidateFor(id, text)),
  'share dlq retry': deadLetters,
  'share dlq drop': deadLetters,
}

function deadLetters(options: ProjectOptions): Candidate[] {
  const file = join(memoryDir(options), '.forge', 'openbrain-dlq.jsonl')
  if (existsSync(file) && statSync(file).size > UNINDEXED_BYTES_MAX) return []
  return listDeadLetters(options).map(({ id, reason }) => ({ value: id, about: cut(oneLine(reason ?? '')) }))
}

const ids: Source = (options) => recordsOf(options).map(({ id, type, text }) => candidateFor(id, `${type}: ${text}`))

function candidateFor(id: string, text: string): Candidate {
  return { value: shortId(id), about: cut(oneLine(text)) }
}

function recordsOf(options: ProjectOptions): RecallHit[] {
  return listMemories({ ...options, limit: RECORDS_MAX, includeProposed: true }).entries
}

/** Values with how often they occur, the most frequent first. */
function counted(values: string[]): Candidate[] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([value, count]) => ({ value, about: `${count} of the newest` }))
}

/** True if the memory answers within the time of a key press: it is small, or it has been indexed. */
function isQuick(options: ProjectOptions): boolean {
  const folder = join(memoryDir(options), '.forge')
  if (!existsSync(folder)) return false
  if (existsSync(join(folder, 'index'))) return true
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  return bytes <= UNINDEXED_BYTES_MAX
}

function cut(text: string): string {
  const letters = [...text]
  return letters.length <= ABOUT_MAX ? text : `${letters.slice(0, ABOUT_MAX - 1).join('')}…`
}

/** A word that may come next. */
export interface Candidate {
  value: string
  /** One line, without control characters. */
  about: string
}
