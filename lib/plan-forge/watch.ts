// Inspects a run of Plan Forge: its state, its counts and its anomalies.
import { join } from 'node:path'
import type { HubEvent } from '../hub/event.js'
import { readAll } from '../hub/replay.js'
import { EventTail } from '../native.js'
import { problem } from '../shared/problem.js'
import { entriesOf, readJson, readText } from './folder.js'
import { eventsOf } from './run-log.js'
import { countIn, fieldsIn, textIn } from './soft.js'

const RUNS = ['.forge', 'runs']
const STALLED_MS = 5 * 60_000
/** A slice that ran longer than this must have used tokens. */
const LONG_MS = 60_000
/** More attempts than this are an anomaly. */
const RETRIES = 3
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

/** Inspects the named run, or the newest one. */
export function watchRun(cwd: string, { runId, tailEvents = TAIL, sinceTimestamp }: WatchOptions = {}) {
  const runs = entriesOf(cwd, ...RUNS).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  // The run id is only compared, never used as a path, so it cannot escape the folder.
  const run = runId === undefined ? runs.at(-1) : runs.find((name) => name === runId)
  const base = { mode: 'snapshot', targetPath: cwd, timestamp: new Date().toISOString() }
  if (run === undefined) return { ok: false, ...base, error: runId === undefined ? 'there is no run' : 'unknown run' }
  const events = eventsOf(readText(cwd, ...RUNS, run, 'events.log') ?? '')
  const artifacts = artifactsOf(cwd, run)
  const last = events.at(-1)
  const lastEventAgeMs = last === undefined ? null : Date.now() - Date.parse(last.timestamp ?? '')
  const fresh = events.filter(({ timestamp = '' }) => sinceTimestamp === undefined || timestamp > sinceTimestamp)
  const seen = { runState: stateOf(events), counts: countsOf(events, artifacts), artifacts, lastEventAgeMs }
  const anomalies = anomaliesOf(seen)
  return {
    ok: true,
    ...base,
    runId: run,
    runDir: join(cwd, ...RUNS, run),
    ...planOf(events, artifacts),
    ...seen,
    lastEventType: last?.type ?? null,
    lastEvent: last ?? null,
    cursor: last?.timestamp ?? null,
    sinceTimestamp: sinceTimestamp ?? null,
    hasNewEvents: fresh.length > 0,
    newEventsCount: fresh.length,
    summary: readJson(cwd, ...RUNS, run, 'summary.json') ?? null,
    tailEvents: tailEvents > 0 ? fresh.slice(-tailEvents) : [],
    anomalies,
    recommendations: anomalies.map(({ code, severity }) => ({ code, severity, action: ACTIONS[code], command: null })),
  }
}

const ACTIONS: Record<string, string> = {
  stalled: 'see whether the worker still runs',
  'slice-failed': 'read the gate errors of the slices that failed',
  'model-escalated': 'find out why the first model failed',
  'skill-step-failed': 'read the output of the skill step',
  'all-skipped': 'see whether the plan was meant to do nothing',
  'tokens-zero': 'see whether the worker did the slice at all',
  'high-retries': 'read the gate errors of the earlier attempts',
}

/** The counters of Plan Forge, with the event type that each counts. */
const COUNTED: Record<string, string> = {
  started: 'slice-started',
  completed: 'slice-completed',
  failed: 'slice-failed',
  escalated: 'slice-escalated',
  quorumDispatched: 'quorum-dispatch-started',
  quorumLegsCompleted: 'quorum-leg-completed',
  quorumReviewed: 'quorum-review-completed',
  skillsStarted: 'skill-started',
  skillsCompleted: 'skill-completed',
}

function countsOf(events: HubEvent[], artifacts: Artifact[]): Record<string, number> {
  const count = (isMeant: (event: HubEvent) => boolean) => events.filter(isMeant).length
  const counts = Object.entries(COUNTED).map(([name, type]) => [name, count((event) => event.type === type)] as const)
  const isFailedStep = ({ type, data }: HubEvent) =>
    type === 'skill-step-completed' && fieldsIn(data).status === 'failed'
  const skillStepsFailed = count(isFailedStep)
  return { ...Object.fromEntries(counts), skillStepsFailed, events: events.length, artifacts: artifacts.length }
}

function planOf(events: HubEvent[], artifacts: Artifact[]) {
  const started = fieldsIn(events.find(({ type }) => type === 'run-started')?.data)
  const sliceCount = Number(started.sliceCount) || artifacts.length
  return { plan: textIn(started.plan) ?? null, model: textIn(started.model) ?? null, sliceCount }
}

interface Artifact {
  sliceNumber: string
  title: string | null
  status: string | null
  attempts: number
  duration: number
  worker: string | null
  model: string | null
  tokensIn: number | null
  tokensOut: number | null
  gateError: string | null
}

/** Reads the artifacts that a run stored for its slices, `slice-N.json`. */
function artifactsOf(cwd: string, run: string): Artifact[] {
  return entriesOf(cwd, ...RUNS, run).flatMap(({ name }) => {
    const [, sliceNumber] = /^slice-(.+)\.json$/.exec(name) ?? []
    if (sliceNumber === undefined) return []
    const { title, status, attempts, duration, worker, model, tokens, gateError } = fieldsIn(
      readJson(cwd, ...RUNS, run, name),
    )
    const { tokens_in, tokens_out } = fieldsIn(tokens)
    return {
      sliceNumber,
      title: textIn(title) ?? null,
      status: textIn(status) ?? null,
      attempts: countIn(attempts),
      duration: countIn(duration),
      worker: textIn(worker) ?? null,
      model: textIn(model) ?? null,
      tokensIn: typeof tokens_in === 'number' ? tokens_in : null,
      tokensOut: typeof tokens_out === 'number' ? tokens_out : null,
      gateError: textIn(gateError) ?? null,
    }
  })
}

function stateOf(events: HubEvent[]): 'completed' | 'aborted' | 'in-progress' | 'unknown' {
  const types = new Set(events.map(({ type }) => type))
  if (types.has('run-completed')) return 'completed'
  if (types.has('run-aborted')) return 'aborted'
  return events.length > 0 ? 'in-progress' : 'unknown'
}

interface Seen {
  runState: string
  counts: Record<string, number>
  artifacts: Artifact[]
  lastEventAgeMs: number | null
}

function anomaliesOf({ runState, counts, artifacts, lastEventAgeMs }: Seen): Anomaly[] {
  const found: Anomaly[] = []
  const note = (isSo: boolean, severity: Anomaly['severity'], code: string, message: string) => {
    if (isSo) found.push({ severity, code, message })
  }
  const { failed = 0, escalated = 0, skillStepsFailed = 0 } = counts
  const isStalled = runState === 'in-progress' && (lastEventAgeMs ?? 0) > STALLED_MS
  note(isStalled, 'warn', 'stalled', `no event for ${Math.round((lastEventAgeMs ?? 0) / 60_000)} min`)
  note(failed > 0, 'error', 'slice-failed', `${failed} slices failed`)
  note(escalated > 0, 'warn', 'model-escalated', `${escalated} slices were escalated`)
  note(skillStepsFailed > 0, 'error', 'skill-step-failed', `${skillStepsFailed} steps of skills failed`)
  const isSkipped = artifacts.length > 0 && artifacts.every(({ status }) => status === 'skipped')
  note(runState === 'completed' && isSkipped, 'info', 'all-skipped', 'every slice was skipped')
  const named = (isMeant: (artifact: Artifact) => boolean) =>
    artifacts.filter(isMeant).map(({ sliceNumber }) => sliceNumber)
  const idle = named(({ status, duration, tokensOut }) => status === 'passed' && duration > LONG_MS && tokensOut === 0)
  note(idle.length > 0, 'warn', 'tokens-zero', `slices without a token: ${idle.join(', ')}`)
  const retried = named(({ attempts }) => attempts >= RETRIES)
  note(retried.length > 0, 'warn', 'high-retries', `slices that took ${RETRIES} attempts: ${retried.join(', ')}`)
  return found
}

export interface LiveOptions {
  durationMs?: number | undefined
  pollIntervalMs?: number | undefined
  maxCapturedEvents?: number | undefined
  verbose?: boolean | undefined
  signal?: AbortSignal | undefined
}

/** Follows the events of a project for a limited time. */
export async function watchLive(cwd: string, options: LiveOptions = {}) {
  const { durationMs = 30_000, pollIntervalMs = LOOK_MS, maxCapturedEvents = 500, verbose = false, signal } = options
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
    await new Promise((resolve) => setTimeout(resolve, Math.min(pollIntervalMs, durationMs)))
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
