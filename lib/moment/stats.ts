import { type Entry, entriesOf, type Injection } from './journal.js'

/** Counts of injected and used notes, and their cost in tokens. */
export interface Count {
  injected: number
  used: number
  wasted: number
  tokens: number
}

export interface MomentStats extends Count {
  /** Latencies of hooks that injected notes, in milliseconds from the start of their process. */
  msP50: number
  msP99: number
  byHook: (Count & { hook: string })[]
  byWeek: (Count & { week: string })[]
  /** Failed hook calls. */
  faults: number
}

/** Summarizes the injections of a project and their use. */
export function momentStats(project: string): MomentStats {
  const entries = eachCallOnce(entriesOf(project))
  const told = entries.filter((entry) => entry.kind === 'told')
  const times = told.map(({ ms }) => ms).sort((a, b) => a - b)
  return {
    ...countOf(entries),
    msP50: percentile(times, 0.5),
    msP99: percentile(times, 0.99),
    byHook: grouped(entries, ({ hook }) => hook).map(([hook, own]) => ({ hook, ...countOf(own) })),
    byWeek: grouped(entries, ({ at }) => weekOf(at)).map(([week, own]) => ({ week, ...countOf(own) })),
    faults: entries.filter(({ kind }) => kind === 'fault').length,
  }
}

/**
 * Leaves out what a call recorded twice: a server that answers too late has recorded the injection, and so does the hook process that
 * no longer waited for it. The later entry counts.
 */
function eachCallOnce(entries: Entry[]): Entry[] {
  const last = new Map<string, Entry>()
  const keyOf = (entry: Entry, at: number) => {
    if (entry.kind === 'fault' || entry.startedAt === undefined) return String(at)
    const { kind, session, hook, startedAt } = entry
    return JSON.stringify([kind, session, hook, startedAt, kind === 'used' && entry.id])
  }
  for (const [at, entry] of entries.entries()) last.set(keyOf(entry, at), entry)
  return [...last.values()]
}

function countOf(entries: Entry[]): Count {
  const injections = entries.filter((entry): entry is Injection => entry.kind === 'told')
  const injected = injections.reduce((sum, { ids }) => sum + ids.length, 0)
  const used = entries.filter(({ kind }) => kind === 'used').length
  const tokens = injections.reduce((sum, entry) => sum + entry.tokens, 0)
  return { injected, used, wasted: Math.max(0, injected - used), tokens }
}

/** Groups entries by key, sorted by name; failed calls are omitted. */
function grouped(entries: Entry[], keyOf: (entry: Entry) => string): [string, Entry[]][] {
  const groups = new Map<string, Entry[]>()
  for (const entry of entries) {
    if (entry.kind !== 'fault') groups.set(keyOf(entry), [...(groups.get(keyOf(entry)) ?? []), entry])
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1))
}

function percentile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

const DAY_MS = 24 * 3600_000

/** The week of an instant by ISO 8601, such as `2026-W47`. */
function weekOf(instant: string): string {
  const at = new Date(instant)
  // The year of an ISO week is that of its Thursday.
  const thursday = new Date(
    Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 4 - (at.getUTCDay() || 7)),
  )
  const week = Math.ceil(((thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / DAY_MS + 1) / 7)
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`
}
