// Records of the older tool's queue, and what becomes of them, as pure functions for callers that keep such a queue themselves. The
// project's own queue is the engine's: see `drain.ts`.
import { randomUUID } from 'node:crypto'
import { retryDelay } from '../native.js'
import { messageOf } from '../shared/problem.js'
import { momentOf } from './memory.js'
import { type Fields, fieldsIn, listIn, textIn } from './soft.js'

const ATTEMPTS_MAX = 5
const BATCH_MAX = 50
const ERROR_CHARS_MAX = 500
/** No date is later. */
const LATEST_MS = 8.64e15

type Moment = number | string | Date

function millis(now: Moment | undefined): number {
  const moment = momentOf(now)
  if (moment === undefined) return Date.now()
  const at = typeof moment === 'number' ? moment : Date.parse(moment)
  return Number.isFinite(at) ? at : Date.now()
}

const isoOf = (at: number) => new Date(Math.min(at, LATEST_MS)).toISOString()

/** Puts the bookkeeping of the queue in front of a thought, whose own fields win. */
export function shapeQueueRecord(thought: object): Fields {
  const now = new Date().toISOString()
  return { _v: 1, _status: 'pending', _attempts: 0, _enqueuedAt: now, _nextAttemptAt: now, ...thought }
}

/** Returns when a record is due again after so many failures. */
export function nextBackoffTimestamp(attempts: number, now?: Moment): string {
  const failures = Number.isFinite(attempts) ? attempts : 1
  return isoOf(millis(now) + retryDelay(randomUUID(), failures))
}

export interface DeliveryFailure {
  action: 'retry' | 'dlq'
  record: Fields
}

/** Counts a failed delivery: the record is tried again, or given up on. */
export function applyDeliveryFailure(
  record: object,
  { maxAttempts = ATTEMPTS_MAX, error = 'unknown', now }: { maxAttempts?: number; error?: unknown; now?: Moment } = {},
): DeliveryFailure {
  const before = record as Fields
  const attempts = (Number(before._attempts) || 0) + 1
  const counted = { ...before, _attempts: attempts, _lastError: messageOf(error).slice(0, ERROR_CHARS_MAX) }
  if (attempts >= maxAttempts) {
    return { action: 'dlq', record: { ...counted, _status: 'failed', _failedAt: isoOf(millis(now)) } }
  }
  const due = nextBackoffTimestamp(attempts, now)
  return { action: 'retry', record: { ...counted, _status: 'pending', _nextAttemptAt: due } }
}

/** Splits records into those that are due and those that are not; what is settled is in neither. */
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

export interface DrainStatsRecord {
  _v: 1
  timestamp: string
  source: string
  attempted: number
  delivered: number
  deferred: number
  dlq: number
  durationMs: number
}

/** Makes the record of a pass. */
export function buildDrainStatsRecord(pass: object): DrainStatsRecord {
  const { timestamp, source, attempted, delivered, deferred, dlq, durationMs } = fieldsIn(pass)
  const count = (value: unknown) => Number(value) | 0
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

/** Hands a record over. Anything but `{ ok: true }` is a failure, and so is whatever it throws. */
export type Dispatcher = (record: Fields) => unknown

export interface DispatchOutcome {
  ok: boolean
  error?: string
}

/** Asks a dispatcher, which may do anything. */
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

/** Makes one pass over records that the caller holds, in order. */
export async function drainOpenBrainQueue(
  records: object[],
  dispatcher: Dispatcher,
  options: { maxBatch?: number; maxAttempts?: number; now?: Moment; source?: string } = {},
): Promise<QueuePass> {
  const { maxBatch = BATCH_MAX, maxAttempts = ATTEMPTS_MAX, now, source = 'drain' } = options
  const started = performance.now()
  const { ready, deferred } = partitionByBackoff(records as Fields[], now)
  const batch = ready.slice(0, maxBatch)
  const pass = { delivered: [] as Fields[], deferred: [...deferred, ...ready.slice(maxBatch)], dlq: [] as Fields[] }
  for (const record of batch) {
    const { ok, error } = await dispatch(dispatcher, record)
    if (ok) {
      pass.delivered.push({ ...record, _status: 'delivered', _deliveredAt: isoOf(millis(now)) })
      continue
    }
    const failure = applyDeliveryFailure(record, { maxAttempts, error, ...(now === undefined ? {} : { now }) })
    pass[failure.action === 'dlq' ? 'dlq' : 'deferred'].push(failure.record)
  }
  const counts = { delivered: pass.delivered.length, deferred: pass.deferred.length, dlq: pass.dlq.length }
  const durationMs = performance.now() - started
  const stats = buildDrainStatsRecord({ source, attempted: batch.length, ...counts, durationMs })
  return { ...pass, archive: pass.delivered, stats }
}
