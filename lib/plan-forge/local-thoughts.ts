// Reads the thoughts in a project's files, whichever tool wrote them. Captures of this package come from the engine,
// which excludes expired, superseded and forgotten ones; files of Plan Forge are read directly.
import { listMemories, type RecallHit, recall } from '../native.js'
import { projectNameOf } from './context.js'
import { planForgeRecords } from './folder.js'
import { folderIn } from './memory.js'
import { isCopy, OLDER_LOG } from './older-log.js'
import { type Fields, listIn, numberIn, optionsIn, softly, textIn } from './soft.js'

/** The name under which captures of this package appear as a source. */
const CAPTURES = 'memory-captures.jsonl'

/** The files that contain thoughts. Those that contain nothing else come first. */
export const THOUGHT_SOURCES = [
  CAPTURES,
  OLDER_LOG,
  'openbrain-queue.jsonl',
  'openbrain-queue.archive.jsonl',
  'openbrain-dlq.jsonl',
]

export const CORPUS_MAX = 500
/** The engine's limit for one page of a list. */
const PAGE = 1000

export interface ReadOptions {
  /** The maximum number of thoughts; 500 when absent. */
  max?: number
  /** Only these files, out of `THOUGHT_SOURCES`; unknown names are ignored. */
  sources?: string[]
}

/** Returns the thoughts of a project without duplicates, the newest ones of every file. */
export function readLocalThoughts(cwd: string = process.cwd(), options: ReadOptions = {}): Fields[] {
  const { max, sources } = optionsIn(options)
  const room = numberIn(max) ?? CORPUS_MAX
  const named = sources === undefined ? THOUGHT_SOURCES : listIn<string>(sources)
  const found: Fields[] = []
  const seen = new Set<string>()
  for (const source of THOUGHT_SOURCES.filter((name) => named.includes(name))) {
    const all = source === CAPTURES ? capturesOf(cwd, room) : foreignIn(cwd, source, named)
    const fresh = all.filter((record) => isCurrent(record) && !seen.has(nameOf(record)))
    for (const record of fresh) seen.add(nameOf(record))
    const left = room - found.length
    if (left > 0) found.push(...fresh.slice(-left))
  }
  return found
}

/** Returns what Plan Forge has in a file. Copies of captures are left out, or only those that are still true when captures are not read. */
function foreignIn(cwd: string, source: string, named: string[]): Fields[] {
  const records = planForgeRecords(cwd, source)
  if (source !== OLDER_LOG || !records.some(isCopy)) return records
  const current = new Set(named.includes(CAPTURES) ? [] : capturesOf(cwd, records.length).map(({ id }) => id))
  return records.filter((record) => !isCopy(record) || current.has(record.id))
}

/** Recalls captures, which may be older than the newest ones. */
export function recallThoughts(cwd: string, query: string, limit: number): Fields[] {
  return softly(
    () => recall(query, { projectDir: folderIn(cwd), limit, scope: 'project' }).hits.map(recordsOf(cwd)),
    [],
  )
}

/** Returns the newest captures, oldest first. */
function capturesOf(cwd: string, count: number): Fields[] {
  const found: Fields[] = []
  const page = (limit: number) =>
    listMemories({ projectDir: folderIn(cwd), limit, offset: found.length, scope: 'project' }).entries
  return softly(
    () => {
      for (let left = count; left > 0; left = count - found.length) {
        const entries = page(Math.min(left, PAGE))
        found.push(...entries.map(recordsOf(cwd)))
        if (entries.length < PAGE) break
      }
      return found.reverse()
    },
    () => found.reverse(),
  )
}

/** Converts hits to records in Plan Forge's spelling. */
function recordsOf(cwd: string): (hit: RecallHit) => Fields {
  const project = projectNameOf(cwd)
  return ({ id, type, text, source, tags, createdAt, expiresAt }) => {
    const thought = { _v: 1, id, content: text, project, type, source, tags, captured_at: createdAt }
    return expiresAt === undefined ? thought : { ...thought, expiresAt }
  }
}

function isCurrent(record: Fields): boolean {
  const { _action, expiresAt } = record
  const expires = Date.parse(textIn(expiresAt) ?? '')
  return _action === undefined && textOf(record) !== '' && !(expires <= Date.now())
}

/** Deduplication key: the log, the queue and the archive may all contain the same thought. */
function nameOf(record: Fields): string {
  return JSON.stringify([textOf(record), record.type, record.project ?? null])
}

/** Returns the text of a thought. */
export function textOf(record: unknown): string {
  const { content, message, text } = (record ?? {}) as Fields
  return textIn(content) ?? textIn(message) ?? textIn(text) ?? ''
}
