// Looks at a run of the older tool: its state, its counts, what is wrong with it.

import type { HubEvent } from '../hub/event.js'
import { EventTail } from '../native.js'
import { problem } from '../shared/problem.js'
import { readAll } from './events.js'
import { entriesOf, readJson, readText } from './folder.js'
import { eventsOf } from './run-log.js'
import { fieldsIn, textIn } from './soft.js'

const STALLED_MS = 5 * 60_000
const TAIL = 25
const LOOK_MS = 200

export interface WatchOptions {
  runId?: string | undefined
  tailEvents?: number | undefined
  sinceTimestamp?: string | undefined
}

export interface Anomaly {
  severity: 'info' | 'warn' | 'error'
  code: string
  message: string
}

/** Looks at the newest run, or at the one that is named. */
export function watchRun(cwd: string, { runId, tailEvents = TAIL, sinceTimestamp }: WatchOptions = {}) {
  const runs = entriesOf(cwd, '.forge', 'runs').flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  // A name is compared, never opened.
  const run = runId === undefined ? runs.at(-1) : runs.find((name) => name === runId)
  const base = { mode: 'snapshot', targetPath: cwd, timestamp: new Date().toISOString() }
  if (run === undefined) return { ok: false, ...base, error: runId === undefined ? 'there is no run' : 'unknown run' }
  const events = eventsOf(readText(cwd, '.forge', 'runs', run, 'events.log') ?? '')
  const counts = countsOf(events)
  const last = events.at(-1)
  const lastEventAgeMs = last === undefined ? null : Date.now() - Date.parse(last.timestamp ?? '')
  const runState = stateOf(events)
  const fresh = events.filter(({ timestamp = '' }) => sinceTimestamp === undefined || timestamp > sinceTimestamp)
  const anomalies = anomaliesOf(runState, counts, lastEventAgeMs)
  return {
    ok: true,
    ...base,
    runId: run,
    runState,
    lastEventType: last?.type ?? null,
    lastEventAgeMs,
    counts,
    cursor: last?.timestamp ?? null,
    hasNewEvents: fresh.length > 0,
    newEventsCount: fresh.length,
    summary: readJson(cwd, '.forge', 'runs', run, 'summary.json') ?? null,
    tailEvents: tailEvents > 0 ? fresh.slice(-tailEvents) : [],
    anomalies,
    recommendations: anomalies.map(({ code, severity }) => ({
      code,
      severity,
      action: ACTIONS[code] ?? 'look at the run',
    })),
  }
}

const ACTIONS: Record<string, string> = {
  stalled: 'see whether the worker still runs',
  'slice-failed': 'read the gate errors of the slices that failed',
  'model-escalated': 'see why the first model did not do',
}

function countsOf(events: HubEvent[]) {
  const count = (type: string) => events.filter((event) => event.type === type).length
  return {
    started: count('slice-started'),
    completed: count('slice-completed'),
    failed: count('slice-failed'),
    escalated: count('slice-escalated'),
    events: events.length,
  }
}

function stateOf(events: HubEvent[]): 'completed' | 'aborted' | 'in-progress' | 'unknown' {
  const types = new Set(events.map(({ type }) => type))
  if (types.has('run-completed')) return 'completed'
  if (types.has('run-aborted')) return 'aborted'
  return events.length > 0 ? 'in-progress' : 'unknown'
}

function anomaliesOf(runState: string, counts: { failed: number; escalated: number }, ageMs: number | null): Anomaly[] {
  const found: Anomaly[] = []
  if (runState === 'in-progress' && ageMs !== null && ageMs > STALLED_MS) {
    found.push({ severity: 'warn', code: 'stalled', message: `no event for ${Math.round(ageMs / 60_000)} min` })
  }
  if (counts.failed > 0)
    found.push({ severity: 'error', code: 'slice-failed', message: `${counts.failed} slices failed` })
  if (counts.escalated > 0) {
    found.push({ severity: 'warn', code: 'model-escalated', message: `${counts.escalated} slices were escalated` })
  }
  return found
}

export interface LiveOptions {
  durationMs?: number | undefined
  maxCapturedEvents?: number | undefined
  verbose?: boolean | undefined
  signal?: AbortSignal | undefined
}

/** Follows the events of a project for a while. */
export async function watchLive(cwd: string, options: LiveOptions = {}) {
  const { durationMs = 30_000, maxCapturedEvents = 500, verbose = false, signal } = options
  if (entriesOf(cwd).length === 0) throw problem('INVALID_INPUT', 'targetPath: the folder does not exist')
  const started = Date.now()
  const tail = EventTail.open({ projectDir: cwd, newest: 0 })
  const events: object[] = []
  let dropped = 0
  const codes = new Set<string>()
  while (Date.now() - started < durationMs && signal?.aborted !== true) {
    for (const event of readAll(tail)) {
      if (event.type === 'watch-anomaly-detected') codes.add(textIn(fieldsIn(event.data).code) ?? 'unknown')
      if (events.length < maxCapturedEvents)
        events.push(verbose ? event : { type: event.type, timestamp: event.timestamp })
      else dropped += 1
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(LOOK_MS, durationMs)))
  }
  return {
    ok: true,
    mode: 'polling',
    durationMs: Date.now() - started,
    capturedEvents: events.length,
    droppedEvents: dropped,
    maxCapturedEvents,
    capturedAnomalies: [...codes],
    eventProjection: verbose ? 'verbose' : 'lite',
    events,
  }
}
