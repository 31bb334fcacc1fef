// Telemetry of injections: one line for each injection, use and failed hook call, in the user's own folder. It is about a person's
// sessions, so it is neither in the project nor in git.
import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { forgeHome } from '../shared/home.js'
import { refuseLinks } from '../shared/regular-file.js'

/** Notes that were injected into the context of an agent. */
export interface Injection {
  at: string
  kind: 'told'
  hook: string
  host: string
  session: string
  ids: string[]
  /** The evidence for each of them. */
  why: string[]
  tokens: number
  ms: number
  /** When the process of the hook call started, in milliseconds since 1970; absent in entries of older releases. */
  startedAt?: number
}

/** The use of an injected note. */
export interface Use {
  at: string
  kind: 'used'
  /** The hook event that injected it. */
  hook: string
  session: string
  id: string
  how: 'file' | 'command' | 'cited'
  /** When the process of the hook call started that used it; absent in entries of older releases. */
  startedAt?: number
}

/** A failed hook call. */
export interface Fault {
  at: string
  kind: 'fault'
  hook: string
  host: string
  message: string
}

export type Entry = Injection | Use | Fault

/** The size at which a journal is rotated; one previous file is kept. */
const BYTES_MAX = 2 * 1024 * 1024

/** Returns the journal of a project. */
export function journalOf(project: string): string {
  return join(forgeHome(), 'moments', `${createHash('sha256').update(project).digest('hex').slice(0, 32)}.jsonl`)
}

/** Returns the journal of a project, and creates its folder. */
export function readyJournal(project: string): string {
  const path = journalOf(project)
  refuseLinks(forgeHome(), path)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > BYTES_MAX) renameSync(path, `${path}.old`)
  return path
}

/** Appends entries. Write errors are ignored: telemetry must not make a hook fail. */
export function record(project: string, entries: Entry[]): void {
  if (entries.length === 0) return
  try {
    appendFileSync(readyJournal(project), entries.map(lineOf).join(''), { mode: 0o600 })
  } catch {
    return
  }
}

export function lineOf(entry: Entry): string {
  return `${JSON.stringify(entry)}\n`
}

/** Reads the entries of a project, the oldest first; invalid lines are skipped. */
export function entriesOf(project: string): Entry[] {
  const path = journalOf(project)
  return [`${path}.old`, path].flatMap(readEntries)
}

function readEntries(path: string): Entry[] {
  let text: string
  try {
    refuseLinks(forgeHome(), path)
    text = readFileSync(path, 'utf8')
  } catch {
    return []
  }
  return text.split('\n').flatMap((line) => {
    try {
      const entry = JSON.parse(line) as Entry
      return isEntry(entry) ? [entry] : []
    } catch {
      return []
    }
  })
}

function isEntry(entry: Entry | null): boolean {
  if (
    typeof entry !== 'object' ||
    entry === null ||
    Number.isNaN(Date.parse(entry.at)) ||
    typeof entry.hook !== 'string'
  )
    return false
  if (entry.kind === 'told')
    return Array.isArray(entry.ids) && Number.isFinite(entry.tokens) && Number.isFinite(entry.ms)
  return entry.kind === 'used'
    ? typeof entry.id === 'string'
    : entry.kind === 'fault' && typeof entry.message === 'string'
}
