// What happened in a window of time, from all sources, in order.
import { problem } from '../shared/problem.js'
import { type Happening, SOURCES } from './events.js'

const LIMIT = 500
const LIMIT_MAX = 2000
const DAY_MS = 86_400_000
const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS }

export interface TimelineOptions {
  from?: string | undefined
  to?: string | undefined
  correlationId?: string | undefined
  sources?: string[] | undefined
  /** Types of events; a `*` stands for anything. */
  events?: string[] | undefined
  groupBy?: 'time' | 'correlation' | undefined
  limit?: number | undefined
}

export interface Thread {
  correlationId: string
  events: Happening[]
  firstTs: string
  lastTs: string
  sources: string[]
}

export interface Timeline {
  events?: Happening[]
  threads?: Thread[]
  total: number
  truncated: boolean
  durationMs: number
  windowFrom: string
  windowTo: string
  sourcesQueried: string[]
  message?: string
}

/** Tells what happened in a window; the newest where there is more than the limit. Throws `INVALID_INPUT`. */
export function timeline(cwd: string, options: TimelineOptions = {}): Timeline {
  const started = performance.now()
  const { correlationId, groupBy = 'time' } = options
  const limit = Math.max(1, Math.min(options.limit ?? LIMIT, LIMIT_MAX))
  const [from, to] = [momentOf('from', options.from ?? '24h'), momentOf('to', options.to)]
  const names = sourcesOf(options.sources)
  const isWanted = wantedBy(options.events)
  const found = names
    .flatMap((name) => SOURCES[name]?.(cwd) ?? [])
    .filter(({ ts, event }) => Date.parse(ts) >= from && Date.parse(ts) <= to && isWanted(event))
    .filter((happening) => correlationId === undefined || happening.correlationId === correlationId)
    .sort((a, b) => Date.parse(a.ts) - Date.parse(b.ts))
  const grouped = groupBy === 'correlation' ? threadsOf(found).slice(0, limit) : undefined
  const events = found.slice(-limit)
  return {
    ...(grouped === undefined ? { events } : { threads: grouped }),
    total: found.length,
    truncated: events.length < found.length,
    durationMs: performance.now() - started,
    windowFrom: new Date(from).toISOString(),
    windowTo: new Date(to).toISOString(),
    sourcesQueried: names,
    ...(found.length === 0 ? { message: 'Nothing happened in this window.' } : {}),
  }
}

/** Reads a moment: ISO 8601, or an age such as `24h`; now when absent. */
export function momentOf(name: string, text: string | undefined): number {
  if (text === undefined) return Date.now()
  const [, count, unit = ''] = /^(\d+)([mhdw])(?: ago)?$/.exec(text) ?? []
  const at = count === undefined ? Date.parse(text) : Date.now() - Number(count) * (UNITS[unit] ?? 0)
  if (Number.isFinite(at) && Math.abs(at) <= 8.64e15) return at
  throw problem('INVALID_INPUT', `${name}: is neither an ISO 8601 time nor an age such as 24h`)
}

/** Checks the names of sources. */
export function sourcesOf(names: string[] | undefined): string[] {
  const known = Object.keys(SOURCES)
  const unknown = names?.find((name) => !known.includes(name))
  if (unknown === undefined) return names ?? known
  throw problem('INVALID_INPUT', `sources: unknown source ${unknown.slice(0, 64)}; expected one of ${known.join(', ')}`)
}

function wantedBy(patterns: string[] | undefined): (event: string) => boolean {
  if (patterns === undefined || patterns.length === 0) return () => true
  const parts = patterns.map((pattern) => pattern.split('*'))
  return (event) => parts.some((pieces) => matches(event, pieces))
}

/** A `*` stands for anything; in linear time, since patterns come from outside. */
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

function threadsOf(found: Happening[]): Thread[] {
  const byId = new Map<string, Happening[]>()
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
