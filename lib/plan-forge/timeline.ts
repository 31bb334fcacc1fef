// Merges the events of all sources within a time window, in order.
import { momentOf as sharedMoment } from '../shared/age.js'
import { given } from '../shared/given.js'
import { problem } from '../shared/problem.js'
import { RUNNER_SOURCES, SOURCES, type TimelineEvent } from './events.js'

const LIMIT = 500
const LIMIT_MAX = 2000

export interface TimelineOptions {
  from?: string | undefined
  to?: string | undefined
  correlationId?: string | undefined
  sources?: string[] | undefined
  /** Event types; `*` is a wildcard. */
  events?: string[] | undefined
  groupBy?: 'time' | 'correlation' | undefined
  limit?: number | undefined
}

export interface Thread {
  correlationId: string
  events: TimelineEvent[]
  firstTs: string
  lastTs: string
  sources: string[]
}

export interface Timeline {
  events?: TimelineEvent[]
  threads?: Thread[]
  total: number
  truncated: boolean
  durationMs: number
  windowFrom: string
  windowTo: string
  sourcesQueried: string[]
  message?: string
}

/** Returns the events of a window; the newest ones when there are more than the limit. Throws `INVALID_INPUT`. */
export function timeline(cwd: string, options: TimelineOptions = {}): Timeline {
  const started = performance.now()
  const { correlationId, groupBy = 'time' } = options
  const limit = Math.max(1, Math.min(options.limit ?? LIMIT, LIMIT_MAX))
  const [from, to] = [momentOf('from', options.from ?? '24h'), momentOf('to', options.to)]
  const { names, note } = sourcesOf(options.sources)
  const isWanted = wantedBy(options.events)
  const found = names
    .flatMap((name) => SOURCES[name]?.(cwd) ?? [])
    .filter(({ ts, event }) => Date.parse(ts) >= from && Date.parse(ts) <= to && isWanted(event))
    .filter((happening) => correlationId === undefined || happening.correlationId === correlationId)
    .sort((a, b) => Date.parse(a.ts) - Date.parse(b.ts))
  const threads = groupBy === 'correlation' ? threadsOf(found) : undefined
  const total = threads?.length ?? found.length
  const message = note ?? (total === 0 ? 'Nothing happened in this window.' : undefined)
  return {
    ...(threads === undefined ? { events: found.slice(-limit) } : { threads: threads.slice(0, limit) }),
    total,
    truncated: total > limit,
    durationMs: performance.now() - started,
    windowFrom: new Date(from).toISOString(),
    windowTo: new Date(to).toISOString(),
    sourcesQueried: names,
    ...given({ message }),
  }
}

/** Parses a time: ISO 8601, or an age such as `24h`; now when absent. */
export function momentOf(name: string, text: string | undefined): number {
  if (text === undefined) return Date.now()
  const at = sharedMoment(text.replace(/^(\d+[mhdw]) ago$/, '$1'))
  if (Number.isFinite(at) && Math.abs(at) <= 8.64e15) return at
  throw problem('INVALID_INPUT', `${name}: is neither an ISO 8601 time nor an age such as 24h`)
}

/** Validates source names. Sources that only Plan Forge's runner keeps are left out, and `note` says so. */
export function sourcesOf(requested: string[] | undefined): { names: string[]; note?: string } {
  const known = Object.keys(SOURCES)
  if (requested === undefined) return { names: known }
  const unknown = requested.find((name) => !known.includes(name) && !RUNNER_SOURCES.includes(name))
  if (unknown !== undefined) {
    const message = `sources: unknown source ${unknown.slice(0, 64)}; expected one of ${known.join(', ')}`
    throw problem('INVALID_INPUT', message)
  }
  const names = requested.filter((name) => known.includes(name))
  const absent = requested.filter((name) => !known.includes(name))
  return absent.length === 0 ? { names } : { names, note: `Not searched: ${absent.join(', ')} (kept by the runner).` }
}

function wantedBy(patterns: string[] | undefined): (event: string) => boolean {
  if (patterns === undefined || patterns.length === 0) return () => true
  const parts = patterns.map((pattern) => pattern.split('*'))
  return (event) => parts.some((pieces) => matches(event, pieces))
}

/** Matches a wildcard pattern in linear time, because patterns are untrusted (no backtracking). */
function matches(event: string, pieces: string[]): boolean {
  const [first = '', ...rest] = pieces
  if (!event.startsWith(first)) return false
  if (rest.length === 0) return event === first
  let at = first.length
  for (const piece of rest.slice(0, -1)) {
    const found = event.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  const last = rest.at(-1) ?? ''
  return event.length - last.length >= at && event.endsWith(last)
}

function threadsOf(found: TimelineEvent[]): Thread[] {
  const byId = new Map<string, TimelineEvent[]>()
  for (const happening of found) {
    const { correlationId } = happening
    if (correlationId !== null) byId.set(correlationId, [...(byId.get(correlationId) ?? []), happening])
  }
  const threads = [...byId].map(([correlationId, events]) => ({
    correlationId,
    events,
    firstTs: events[0]?.ts ?? '',
    lastTs: events.at(-1)?.ts ?? '',
    sources: [...new Set(events.map(({ source }) => source))],
  }))
  return threads.sort((a, b) => (a.lastTs < b.lastTs ? 1 : -1))
}
