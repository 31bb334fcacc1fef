// The thoughts that are in a project's files, whichever tool wrote them. Those of this package come from the engine, which knows what is
// expired, superseded or forgotten; those of the older tool are read as they lie.
import { listMemories, type RecallHit, recall } from '../native.js'
import { readRecords } from './folder.js'
import { folderIn } from './memory.js'
import { type Fields, softly, textIn } from './soft.js'

/** What captures of this package are read as. */
const CAPTURES = 'memory-captures.jsonl'

/** The files with thoughts in them, those first that are thoughts and nothing else. */
export const THOUGHT_SOURCES = [
  CAPTURES,
  'liveguard-memories.jsonl',
  'openbrain-queue.jsonl',
  'openbrain-queue.archive.jsonl',
  'openbrain-dlq.jsonl',
]

export const CORPUS_MAX = 500

export interface ReadOptions {
  /** How many at most; 500 when absent. */
  max?: number
  /** Only of these files, out of `THOUGHT_SOURCES`; every other name is passed over. */
  sources?: string[]
}

/** Reads the thoughts of a project, each once, the newest of every file. */
export function readLocalThoughts(cwd: string = process.cwd(), options: ReadOptions = {}): Fields[] {
  const { max = CORPUS_MAX, sources = THOUGHT_SOURCES } = options
  const found: Fields[] = []
  const seen = new Set<string>()
  for (const source of THOUGHT_SOURCES.filter((name) => sources.includes(name))) {
    const all = source === CAPTURES ? capturesOf(cwd, max) : readRecords(cwd, '.forge', source).filter(isOthers)
    const fresh = all.filter((record) => isCurrent(record) && !seen.has(nameOf(record)))
    for (const record of fresh) seen.add(nameOf(record))
    const room = max - found.length
    if (room > 0) found.push(...fresh.slice(-room))
  }
  return found
}

/** Finds captures that the newest ones may not contain. */
export function recallThoughts(cwd: string, query: string, limit: number): Fields[] {
  return softly(
    () => recall(query, { projectDir: folderIn(cwd), limit, scope: 'project' }).hits.map(recordOf),
    () => [],
  )
}

function capturesOf(cwd: string, limit: number): Fields[] {
  return softly(
    () =>
      listMemories({ projectDir: folderIn(cwd), limit, scope: 'project' })
        .entries.map(recordOf)
        .reverse(),
    () => [],
  )
}

function recordOf({ id, type, text, source, tags, createdAt, expiresAt }: RecallHit): Fields {
  return { id, content: text, type, source, tags, captured_at: createdAt, ...(expiresAt ? { expiresAt } : {}) }
}

/** What this machine queued is a capture of ours, and read as one. */
function isOthers({ _mark }: Fields): boolean {
  return _mark === undefined
}

function isCurrent(record: Fields): boolean {
  const { _action, expiresAt } = record
  const expires = Date.parse(textIn(expiresAt) ?? '')
  return _action === undefined && textOf(record) !== '' && !(expires <= Date.now())
}

/** The same thought lies in the log, in the queue and in the archive. */
function nameOf(record: Fields): string {
  return JSON.stringify([textOf(record), record.type, record.project ?? null])
}

/** Returns the text of a thought. */
export function textOf(record: unknown): string {
  const { content, message, text } = (record ?? {}) as Fields
  return textIn(content) ?? textIn(message) ?? textIn(text) ?? ''
}
