// The queue logic of Plan Forge as pure functions, for callers that keep a queue of their own. The engine manages the
// queue of the project: see `drain.ts`.
import { randomUUID } from 'node:crypto'
import { type DrainStats, retryDelay } from '../native.js'
import { given } from '../shared/given.js'
import { messageOf } from '../shared/problem.js'
import { countIn, type Fields, fieldsIn, listIn, momentOf, numberIn, optionsIn, textIn } from './soft.js'

const ATTEMPTS_MAX = 5
const BATCH_MAX = 50
const ERROR_CHARS_MAX = 500
/** The largest time value of a JavaScript Date. */
const LATEST_MS = 8.64e15

type Moment = number | string | Date

function millis(now: Moment | undefined): number {
  const moment = momentOf(now)
  if (moment === undefined) return Date.now()
  const at = typeof moment === 'number' ? moment : Date.parse(moment)
  return Number.isFinite(at) ? at : Date.now()
}

const isoOf = (at: number) => new Date(Math.min(at, LATEST_MS)).toISOString()

/** Adds the queue's bookkeeping fields to a thought. Fields of the thought take precedence. */
export function shapeQueueRecord(thought: object): Fields {
  const now = new Date().toISOString()
  return { _v: 1, _status: 'pending', _attempts: 0, _enqueuedAt: now, _nextAttemptAt: now, ...thought }
}

/** Returns when a record is due again after a number of failures (exponential back-off). */
export function nextBackoffTimestamp(attempts: number, now?: Moment): string {
  return isoOf(millis(now) + retryDelay(randomUUID(), numberIn(attempts) ?? 1))
}

export interface DeliveryFailure {
  action: 'retry' | 'dlq'
  record: Fields
}

/** Records a failed delivery: the record is scheduled for a retry, or becomes a dead letter. */
export function applyDeliveryFailure(
  record: object,
  options: { maxAttempts?: number; error?: unknown; now?: Moment } = {},
): DeliveryFailure {
  const { maxAttempts, error = 'unknown', now } = optionsIn(options)
  const before = fieldsIn(record)
  const attempts = countIn(before._attempts) + 1
  const counted = { ...before, _attempts: attempts, _lastError: messageOf(error).slice(0, ERROR_CHARS_MAX) }
  if (attempts >= (numberIn(maxAttempts) ?? ATTEMPTS_MAX)) {
    return { action: 'dlq', record: { ...counted, _status: 'failed', _failedAt: isoOf(millis(now)) } }
  }
  const due = nextBackoffTimestamp(attempts, now)
  return { action: 'retry', record: { ...counted, _status: 'pending', _nextAttemptAt: due } }
}

/** Splits records into due and deferred ones. Delivered and dead records are in neither list. */
export function partitionByBackoff<T>(records: T[], now?: Moment): { ready: T[]; deferred: T[] } {
  const at = millis(now)
  const isOpen = (record: T) => {
    const { _status } = fieldsIn(record)
    return typeof record === 'object' && record !== null && _status !== 'delivered' && _status !== 'failed'
  }
  const isDue = (record: T) => {
    const due = textIn(fieldsIn(record)._nextAttemptAt)
    return due === undefined || Date.parse(due) <= at
  }
  const open = listIn<T>(records).filter(isOpen)
  return { ready: open.filter(isDue), deferred: open.filter((record) => !isDue(record)) }
}

export type DrainStatsRecord = { _v: 1 } & Required<Omit<DrainStats, 'failed'>>

/** Builds the statistics record of a pass. */
export function buildDrainStatsRecord(pass: object): DrainStatsRecord {
  const { timestamp, source, attempted, delivered, deferred, dlq, durationMs } = fieldsIn(pass)
  const count = (value: unknown) => countIn(value) | 0
  return {
    _v: 1,
    timestamp: textIn(timestamp) ?? new Date().toISOString(),
    source: textIn(source) ?? 'drain',
    attempted: count(attempted),
    delivered: count(delivered),
    deferred: count(deferred),
    dlq: count(dlq),
    durationMs: count(durationMs),
  }
}

/** Delivers a record. Any result except `{ ok: true }` is a failure, and so is an exception. */
export type Dispatcher = (record: Fields) => unknown

export interface DispatchOutcome {
  ok: boolean
  error?: string
}

/** Calls a dispatcher, which may return or throw anything. */
export async function dispatch(dispatcher: Dispatcher, record: Fields): Promise<DispatchOutcome> {
  try {
    const { ok, error } = fieldsIn(await dispatcher(record))
    return ok === true ? { ok: true } : { ok: false, error: textIn(error) ?? 'unknown' }
  } catch (error) {
    return { ok: false, error: messageOf(error) }
  }
}

export interface QueuePass {
  delivered: Fields[]
  deferred: Fields[]
  dlq: Fields[]
  archive: Fields[]
  stats: DrainStatsRecord
}

/** Makes one pass over the records that the caller passes, in order. */
export async function drainOpenBrainQueue(
  records: object[],
  dispatcher: Dispatcher,
  options: { maxBatch?: number; maxAttempts?: number; now?: Moment; source?: string } = {},
): Promise<QueuePass> {
  const { maxBatch, maxAttempts, now, source } = optionsIn(options)
  const started = performance.now()
  const at = isoOf(millis(now))
  const { ready, deferred } = partitionByBackoff(records as Fields[], now)
  const batch = ready.slice(0, numberIn(maxBatch) ?? BATCH_MAX)
  const pass = { delivered: [] as Fields[], deferred: [...deferred, ...ready.slice(batch.length)], dlq: [] as Fields[] }
  for (const record of batch) {
    const { ok, error } = await dispatch(dispatcher, record)
    if (ok) {
      pass.delivered.push({ ...record, _status: 'delivered', _deliveredAt: at })
      continue
    }
    const failure = applyDeliveryFailure(record, given({ maxAttempts, error, now }))
    pass[failure.action === 'dlq' ? 'dlq' : 'deferred'].push(failure.record)
  }
  const counts = { delivered: pass.delivered.length, deferred: pass.deferred.length, dlq: pass.dlq.length }
  const durationMs = performance.now() - started
  const stats = buildDrainStatsRecord({ source: source ?? 'drain', attempted: batch.length, ...counts, durationMs })
  return { ...pass, archive: pass.delivered, stats }
}
