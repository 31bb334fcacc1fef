import type { OpenBrainDrain } from '../../index.js'
import type { StoreFailure } from '../openbrain/failure.js'
import { asFailure, type Handshakes, missing } from '../openbrain/handshakes.js'
import type { Capabilities, Delivery, Outcome, ThoughtStore } from '../openbrain/store.js'

/** What one pass over the queue did. */
export interface PassReport {
  attempted: number
  delivered: number
  deferred: number
  /** How many went to the dead letters. */
  dlq: number
  durationMs: number
  batches: number
  /** Why it ended before the queue was empty, where it did. */
  trouble?: Trouble
}

export interface Trouble {
  kind: 'busy' | 'misconfigured'
  reason: string
  /** True when the store did not even say what it can do. */
  isAway: boolean
}

export interface PassOptions {
  drain: OpenBrainDrain
  store: ThoughtStore
  handshakes: Handshakes
  /** How many records are delivered at once, where the store takes so many. */
  maxBatch?: number
  /** Set to end after the present batch. */
  signal?: AbortSignal
  onProgress?: (report: PassReport) => void
}

/** Delivers what is due, batch after batch, until nothing is. Which record comes when is the engine's business. */
export async function runPass(options: PassOptions): Promise<PassReport> {
  const { drain, store, signal, onProgress } = options
  const started = performance.now()
  const report: PassReport = { attempted: 0, delivered: 0, deferred: 0, dlq: 0, durationMs: 0, batches: 0 }
  const size = Math.max(1, Math.min(options.maxBatch ?? store.batchMax, store.batchMax))
  while (!signal?.aborted && report.trouble === undefined) {
    const batch = (await drain.lease(size)) as Delivery[]
    if (batch.length === 0) break
    const { outcomes, isAway } = await deliver(batch, options)
    const settled = await drain.settle(outcomes)
    report.attempted += batch.length
    report.delivered += settled.delivered
    report.deferred += settled.deferred
    report.dlq += settled.dead
    report.batches += 1
    const trouble = troubleIn(outcomes, isAway)
    if (trouble !== undefined) {
      // What the store said of itself is in doubt now.
      options.handshakes.forget()
      report.trouble = trouble
    }
    report.durationMs = Math.round(performance.now() - started)
    onProgress?.({ ...report })
  }
  return report
}

async function deliver(batch: Delivery[], options: PassOptions): Promise<{ outcomes: Outcome[]; isAway: boolean }> {
  let capabilities: Capabilities
  try {
    capabilities = (await options.handshakes.current()).capabilities
  } catch (error) {
    return { outcomes: allAre(batch, asFailure(error)), isAway: true }
  }
  return { outcomes: await handOver(batch, options.store, capabilities), isAway: false }
}

async function handOver(batch: Delivery[], store: ThoughtStore, capabilities: Capabilities): Promise<Outcome[]> {
  try {
    const stores = batch.filter(({ action }) => action === 'store')
    const deletes = batch.filter(({ action }) => action === 'delete')
    const refusal = missing(capabilities, 'delete')
    const outcomes = stores.length === 0 ? [] : await store.put(stores)
    if (deletes.length === 0) return outcomes
    if (refusal === undefined) return [...outcomes, ...(await store.remove(deletes))]
    return [...outcomes, ...deletes.map(({ key }) => ({ key, kind: 'rejected' as const, reason: refusal }))]
  } catch (error) {
    return allAre(batch, asFailure(error))
  }
}

/** When a whole call fails, no record of it is to blame. */
function allAre(batch: Delivery[], { kind, message }: StoreFailure): Outcome[] {
  return batch.map(({ key }) => ({ key, kind: kind === 'rejected' ? ('busy' as const) : kind, reason: message }))
}

/** A store that took nothing of a batch because it is busy or set up wrongly is left alone for now. */
function troubleIn(outcomes: Outcome[], isAway: boolean): Trouble | undefined {
  const wrong = outcomes.find(({ kind }) => kind === 'misconfigured')
  if (wrong !== undefined) return { kind: 'misconfigured', reason: wrong.reason ?? '', isAway }
  const busy = outcomes.find(({ kind }) => kind === 'busy')
  if (busy === undefined || outcomes.some(({ kind }) => kind === 'delivered' || kind === 'gone')) return undefined
  return { kind: 'busy', reason: busy.reason ?? '', isAway }
}
