// Delivers the project's queue, either to the configured store or through a dispatcher of the caller.
import { trustForeignRecords } from '../api/queue.js'
import type { OpenBrainDrain as Drain, LeasedThought, Problem } from '../native.js'
import { OpenBrainDrain, queueStatus } from '../native.js'
import { drainOnce } from '../outbox/drain.js'
import { wholeCharacters } from '../shared/line.js'
import { isOpenBrainConfigured, isStoreSet } from './context.js'
import { folderIn } from './memory.js'
import { type Dispatcher, type DispatchOutcome, dispatch } from './queue.js'
import { atMost, type Fields, fieldsIn, numberIn, reasonOf } from './soft.js'

export interface AutoDrainOptions {
  source?: string
  maxBatch?: number
  maxAttempts?: number
  timeoutMs?: number
  dispatcher?: Dispatcher
}

export type AutoDrainAnswer =
  | { skipped: 'not-configured' | 'empty'; setAside?: number; hint?: string }
  | { skipped: 'no-config'; durationMs: number; hint: string }
  | { error: string; durationMs: number; reason?: Problem }
  | {
      ok: true
      attempted: number
      delivered: number
      deferred: number
      dlq: number
      durationMs: number
      source: string
      /** The number of records that this machine did not write, with a hint on how to approve them. */
      setAside?: number
      hint?: string
    }

const BATCH_MAX = 50
/** The engine's limit for one lease. */
const LEASED_MAX = 10_000
const ATTEMPTS_MAX = 5
const TIMEOUT_MS = 10_000
const NO_CONFIG = 'no server that a file names openbrain has a url; name one there, or set openbrain.url in .forge.json'

/**
 * Makes one pass over the queue. Never rejects. A dispatcher receives every record, because it decides itself where to
 * send it. The configured stores receive only records that this machine wrote; the others are counted in the answer.
 */
export async function autoDrainOpenBrainQueue(cwd: string, options: AutoDrainOptions = {}): Promise<AutoDrainAnswer> {
  const started = performance.now()
  try {
    const projectDir = folderIn(cwd)
    if (options.dispatcher !== undefined) return await passByDispatcher(projectDir, options, started)
    if (!isOpenBrainConfigured(projectDir)) return { skipped: 'not-configured' }
    if (!isStoreSet(projectDir))
      return { skipped: 'no-config', durationMs: performance.now() - started, hint: NO_CONFIG }
    return await passByStore(projectDir, options, started)
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
  const report = await drainOnce({ projectDir, source, maxBatch: atMost(maxBatch, LEASED_MAX) })
  const { state, reason = state, attempted, delivered, deferred, dlq } = report
  const durationMs = performance.now() - started
  if (attempted === 0 && state !== 'done') return { error: `connect: ${reason}`, durationMs }
  return { ok: true, attempted, delivered, deferred, dlq, durationMs, source, ...aside }
}

/** Counts the records that this machine did not write, with a hint on how to approve them. */
export function setAsideIn(projectDir: string): { setAside?: number; hint?: string } {
  const { foreign } = queueStatus({ projectDir })
  return foreign === 0 ? {} : { setAside: foreign, hint: 'forge-memory drain --trust approves them' }
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
    const batch = await drain.lease(atMost(maxBatch, LEASED_MAX))
    if (batch.length === 0 && queueStatus({ projectDir }).queued === 0) return { skipped: 'empty' }
    const pass = await settleEach(drain, batch, options)
    const durationMs = performance.now() - started
    // Records that were not leased count as deferred too: they wait for their back-off or for the next pass.
    const deferred = Math.max(pass.deferred, queueStatus({ projectDir }).queued)
    const counts = { attempted: batch.length, delivered: pass.delivered, deferred, dlq: pass.dead }
    await drain.record({ source, ...counts, durationMs })
    return { ok: true, ...counts, durationMs, source }
  } finally {
    drain.close()
  }
}

async function settleEach(drain: Drain, batch: LeasedThought[], options: AutoDrainOptions) {
  const { dispatcher = () => undefined, maxAttempts = ATTEMPTS_MAX } = options
  const timeoutMs = numberIn(options.timeoutMs) ?? TIMEOUT_MS
  const sum = { delivered: 0, deferred: 0, dead: 0 }
  for (const leased of batch) {
    const outcome = await withinTime(dispatch(dispatcher, recordOf(leased)), timeoutMs)
    // Settles records one by one, so that a crash during a later delivery cannot cause this one to be delivered again.
    const report = await drain.settle([settlementOf(leased, outcome, maxAttempts)])
    for (const name of ['delivered', 'deferred', 'dead'] as const) sum[name] += report[name]
  }
  return sum
}

function settlementOf({ key, attempts }: LeasedThought, { ok, error }: DispatchOutcome, maxAttempts: number) {
  if (ok) return { key, kind: 'delivered' as const }
  return {
    key,
    kind: attempts + 1 >= maxAttempts ? ('rejected' as const) : ('failed' as const),
    reason: wholeCharacters(error ?? ''),
  }
}

async function withinTime(work: Promise<DispatchOutcome>, timeoutMs: number): Promise<DispatchOutcome> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<DispatchOutcome>((resolve) => {
    const late = () => resolve({ ok: false, error: `no answer within ${timeoutMs} ms` })
    // Node fires a timer with a longer delay immediately.
    timer = setTimeout(late, Math.min(timeoutMs, 2 ** 31 - 1))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Converts a leased record to the format of Plan Forge's queue. */
function recordOf({ action, id, thought, attempts, enqueuedAt, lastError }: LeasedThought): Fields {
  const book = { _v: 1, _status: 'pending', _attempts: attempts, _enqueuedAt: enqueuedAt }
  const failure = lastError === undefined ? {} : { _lastError: lastError }
  if (action === 'delete' || thought === undefined) return { ...book, ...failure, _action: 'delete', key: id, id }
  const { createdBy, capturedAt, metadata, ...rest } = thought
  const more = fieldsIn(JSON.parse(metadata || '{}'))
  return { ...book, ...failure, ...more, ...rest, created_by: createdBy, captured_at: capturedAt }
}
