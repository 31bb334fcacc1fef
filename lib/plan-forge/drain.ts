// Delivery of the project's queue: by the stores of this package, or by a dispatcher of the caller's own.
import type { OpenBrainDrain as Drain, LeasedThought, Problem } from '../native.js'
import { OpenBrainDrain, queueStatus, trustForeignRecords } from '../native.js'
import { drainOnce } from '../outbox/drain.js'
import { isOpenBrainConfigured } from './context.js'
import { folderIn } from './memory.js'
import { type Dispatcher, type DispatchOutcome, dispatch } from './queue.js'
import { type Fields, fieldsIn, reasonOf } from './soft.js'

export interface AutoDrainOptions {
  source?: string
  maxBatch?: number
  maxAttempts?: number
  timeoutMs?: number
  dispatcher?: Dispatcher
}

export type AutoDrainAnswer =
  | { skipped: 'not-configured' | 'empty'; setAside?: number; hint?: string }
  | { error: string; durationMs: number; reason?: Problem }
  | {
      ok: true
      attempted: number
      delivered: number
      deferred: number
      dlq: number
      durationMs: number
      source: string
      /** Records that this machine did not write, and how they are taken over. */
      setAside?: number
      hint?: string
    }

const BATCH_MAX = 50
const ATTEMPTS_MAX = 5
const TIMEOUT_MS = 10_000

/**
 * Makes one pass over the queue. Never rejects. A dispatcher decides itself where records go, and gets all of them; the stores that
 * the project's files name get what this machine wrote, and the answer counts the rest.
 */
export async function autoDrainOpenBrainQueue(cwd: string, options: AutoDrainOptions = {}): Promise<AutoDrainAnswer> {
  const started = performance.now()
  try {
    const projectDir = folderIn(cwd)
    if (options.dispatcher === undefined && !isOpenBrainConfigured(projectDir)) return { skipped: 'not-configured' }
    return await (options.dispatcher === undefined ? passByStore : passByDispatcher)(projectDir, options, started)
  } catch (error) {
    const reason = reasonOf(error)
    return { error: reason.message, durationMs: performance.now() - started, reason }
  }
}

async function passByStore(
  projectDir: string,
  { source = 'cli-drain', maxBatch = BATCH_MAX }: AutoDrainOptions,
  started: number,
): Promise<AutoDrainAnswer> {
  const aside = setAsideIn(projectDir)
  if (queueStatus({ projectDir }).queued === 0) return { skipped: 'empty', ...aside }
  const report = await drainOnce({ projectDir, source, maxBatch })
  const { state, reason = state, attempted, delivered, deferred, dlq } = report
  const durationMs = performance.now() - started
  if (attempted === 0 && state !== 'done') return { error: `connect: ${reason}`, durationMs }
  return { ok: true, attempted, delivered, deferred, dlq, durationMs, source, ...aside }
}

function setAsideIn(projectDir: string): { setAside?: number; hint?: string } {
  const { foreign } = queueStatus({ projectDir })
  return foreign === 0 ? {} : { setAside: foreign, hint: 'forge-memory drain --trust takes them over' }
}

async function passByDispatcher(
  projectDir: string,
  options: AutoDrainOptions,
  started: number,
): Promise<AutoDrainAnswer> {
  const { source = 'cli-drain', maxBatch = BATCH_MAX } = options
  if (queueStatus({ projectDir }).foreign > 0) trustForeignRecords({ projectDir })
  const drain = OpenBrainDrain.open({ projectDir })
  try {
    const batch = await drain.lease(maxBatch)
    if (batch.length === 0 && queueStatus({ projectDir }).queued === 0) return { skipped: 'empty' }
    const pass = await settleEach(drain, batch, options)
    const durationMs = performance.now() - started
    // What was not leased is deferred as well, for its back-off or for the next pass.
    const deferred = Math.max(pass.deferred, queueStatus({ projectDir }).queued)
    const counts = { attempted: batch.length, delivered: pass.delivered, deferred, dlq: pass.dead }
    await drain.record({ source, ...counts, durationMs })
    return { ok: true, ...counts, durationMs, source }
  } finally {
    drain.close()
  }
}

async function settleEach(drain: Drain, batch: LeasedThought[], options: AutoDrainOptions) {
  const { dispatcher = () => undefined, maxAttempts = ATTEMPTS_MAX, timeoutMs = TIMEOUT_MS } = options
  const sum = { delivered: 0, deferred: 0, dead: 0 }
  for (const leased of batch) {
    const outcome = await withinTime(dispatch(dispatcher, recordOf(leased)), timeoutMs)
    // One by one: what is delivered must not be delivered again because a later one ends the process.
    const report = await drain.settle([settlementOf(leased, outcome, maxAttempts)])
    for (const name of ['delivered', 'deferred', 'dead'] as const) sum[name] += report[name]
  }
  return sum
}

function settlementOf({ key, attempts }: LeasedThought, { ok, error }: DispatchOutcome, maxAttempts: number) {
  if (ok) return { key, kind: 'delivered' as const }
  return { key, kind: attempts + 1 >= maxAttempts ? ('rejected' as const) : ('failed' as const), reason: error ?? '' }
}

async function withinTime(work: Promise<DispatchOutcome>, timeoutMs: number): Promise<DispatchOutcome> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<DispatchOutcome>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, error: `no answer within ${timeoutMs} ms` }), timeoutMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** A leased record as the older tool's queue has it. */
function recordOf({ action, id, thought, attempts, enqueuedAt, lastError }: LeasedThought): Fields {
  const book = { _v: 1, _status: 'pending', _attempts: attempts, _enqueuedAt: enqueuedAt }
  const failure = lastError === undefined ? {} : { _lastError: lastError }
  if (action === 'delete' || thought === undefined) return { ...book, ...failure, _action: 'delete', key: id, id }
  const { createdBy, capturedAt, metadata, ...rest } = thought
  const more = fieldsIn(JSON.parse(metadata || '{}'))
  return { ...book, ...failure, ...more, ...rest, created_by: createdBy, captured_at: capturedAt }
}
