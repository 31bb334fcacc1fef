// One pass of the transactional outbox (polling publisher): lease a batch from the queue, deliver it, settle the outcomes. Delivery
// is at least once; the store makes it idempotent by the id of each record.
import type { OpenBrainDrain } from '../native.js'
import { StoreFailure } from '../openbrain/failure.js'
import { asFailure, type Handshakes, missing } from '../openbrain/handshakes.js'
import type { Capabilities, Delivery, Outcome, ThoughtStore } from '../openbrain/store.js'
import { ALONE_MAX, type Isolated, isolate } from './isolation.js'
import type { Taken } from './taken.js'

/** The result of one pass over the queue. */
export interface PassReport {
  attempted: number
  delivered: number
  deferred: number
  /** The number of new dead letters. */
  dlq: number
  /** The number of records on which the store failed although it accepted others. */
  failed: number
  durationMs: number
  batches: number
  /** Why the pass ended before the queue was empty. */
  problem?: PassProblem
}

export interface PassProblem {
  kind: 'busy' | 'misconfigured'
  reason: string
  /** True when the store was unreachable, or says that it takes nothing now. */
  isAway: boolean
}

export interface PassOptions {
  drain: OpenBrainDrain
  store: ThoughtStore
  handshakes: Handshakes
  /** The maximum number of records delivered at once, within the limit of the store. */
  maxBatch?: number
  /** Set to stop after the current batch. */
  signal?: AbortSignal
  onProgress?: (report: PassReport) => void
  taken?: Taken
}

export function nothingDone(): PassReport {
  return { attempted: 0, delivered: 0, deferred: 0, dlq: 0, failed: 0, durationMs: 0, batches: 0 }
}

/** Delivers due records, batch by batch, until none is due. The engine decides the order. */
export async function runPass(options: PassOptions): Promise<PassReport> {
  return new Pass(options).run()
}

class Pass {
  readonly #options: PassOptions
  readonly #report = nothingDone()
  readonly #started = performance.now()
  /** Records that failed alone before the store accepted any: settled when it is known whether they or the store caused it. */
  #doubtful: { delivery: Delivery; outcome: Outcome }[] = []

  constructor(options: PassOptions) {
    this.#options = options
  }

  async run(): Promise<PassReport> {
    const { drain, store, signal, maxBatch } = this.#options
    const size = Math.max(1, Math.min(maxBatch ?? store.batchMax, store.batchMax))
    while (!signal?.aborted && this.#report.problem === undefined) {
      const batch = (await drain.lease(size)) as Delivery[]
      if (batch.length === 0) break
      await this.#deliver(batch)
    }
    await this.#settleDoubtful()
    await this.#options.taken?.note()
    return this.#report
  }

  async #deliver(batch: Delivery[]): Promise<void> {
    const report = this.#report
    report.attempted += batch.length
    report.batches += 1
    const { outcomes, alone, isAway, isSilent } = await this.#handOver(batch)
    const isDone = ({ kind }: Outcome) => kind === 'delivered' || kind === 'gone'
    const hasDelivered = report.delivered > 0 || outcomes.some(isDone)
    const byKey = new Map(batch.map((delivery) => [delivery.key, delivery]))
    const certain: Outcome[] = []
    for (const outcome of outcomes) {
      const delivery = byKey.get(outcome.key)
      if (delivery !== undefined && isDone(outcome)) this.#options.taken?.add(delivery)
      if (!alone.has(outcome.key) || delivery === undefined) certain.push(outcome)
      else if (hasDelivered) certain.push(failed(outcome))
      else this.#doubtful.push({ delivery, outcome })
    }
    await this.#settle(certain)
    const isOver = this.#doubtful.length >= ALONE_MAX && !hasDelivered
    const problem = problemIn(outcomes, isSilent, isAway || isOver)
    if (problem !== undefined) {
      // The capabilities of the store may have changed.
      this.#options.handshakes.forget()
      report.problem = problem
    }
    this.#reportProgress()
  }

  async #handOver(batch: Delivery[]): Promise<Isolated & { isSilent: boolean }> {
    const { handshakes, store } = this.#options
    let capabilities: Capabilities
    try {
      capabilities = (await handshakes.current()).capabilities
      if (capabilities.isWaiting) throw new StoreFailure('busy', capabilities.negotiatedAway[0] ?? '')
    } catch (error) {
      return { outcomes: allAre(batch, asFailure(error)), alone: new Set(), isAway: true, isSilent: true }
    }
    const work = (part: Delivery[]) => handOver(part, store, capabilities)
    return { ...(await isolate(batch, work, this.#report.delivered > 0)), isSilent: false }
  }

  /** At the end of the pass it is known whether the store accepted anything. */
  async #settleDoubtful(): Promise<void> {
    const doubtful = this.#doubtful
    this.#doubtful = []
    if (doubtful.length === 0) return
    const isToBlame = await this.#isStoreWell(doubtful.map(({ delivery }) => delivery))
    await this.#settle(doubtful.map(({ delivery, outcome }) => (isToBlame(delivery) ? failed(outcome) : outcome)))
    const [first] = doubtful
    if (this.#report.delivered === 0 && first !== undefined && this.#report.problem === undefined) {
      this.#report.problem = { kind: 'busy', reason: first.outcome.reason ?? '', isAway: false }
    }
    this.#reportProgress()
  }

  /**
   * A store that accepted other records is up. Without other records, a record that had failed alone before counts as the cause
   * again when the store still answers a search; a record without such a history may have failed because of an outage.
   */
  async #isStoreWell(doubtful: Delivery[]): Promise<(delivery: Delivery) => boolean> {
    if (this.#report.delivered > 0) return () => true
    const isSuspect = ({ attempts }: Delivery) => attempts > 0
    if (this.#report.problem !== undefined || !doubtful.some(isSuspect)) return () => false
    try {
      await this.#options.store.search({ text: PROBE, limit: 1, now: new Date().toISOString() })
      return isSuspect
    } catch {
      return () => false
    }
  }

  async #settle(outcomes: Outcome[]): Promise<void> {
    if (outcomes.length === 0) return
    const settled = await this.#options.drain.settle(outcomes.map(({ isAway: _, ...outcome }) => outcome))
    this.#report.delivered += settled.delivered
    this.#report.deferred += settled.deferred
    this.#report.dlq += settled.dead
    this.#report.failed += settled.failed
  }

  #reportProgress(): void {
    this.#report.durationMs = Math.round(performance.now() - this.#started)
    this.#options.onProgress?.({ ...this.#report })
  }
}

/** The query of the health check of a store. */
const PROBE = 'connection check'

function failed(outcome: Outcome): Outcome {
  return { ...outcome, kind: 'failed' }
}

async function handOver(batch: Delivery[], store: ThoughtStore, capabilities: Capabilities): Promise<Outcome[]> {
  try {
    const [stores, rulings, deletes] = (['store', 'rule', 'delete'] as const).map((wanted) =>
      batch.filter(({ action }) => action === wanted),
    ) as [Delivery[], Delivery[], Delivery[]]
    const refusal = missing(capabilities, 'delete')
    const outcomes = stores.length === 0 ? [] : await store.put(stores)
    if (rulings.length > 0) outcomes.push(...(await store.rule(rulings)))
    if (deletes.length === 0) return outcomes
    if (refusal === undefined) return [...outcomes, ...(await store.remove(deletes))]
    return [...outcomes, ...deletes.map(({ key }) => ({ key, kind: 'rejected' as const, reason: refusal }))]
  } catch (error) {
    return allAre(batch, asFailure(error))
  }
}

/** A failure of the whole call does not count against a record. */
function allAre(batch: Delivery[], { kind, message, isAway }: StoreFailure): Outcome[] {
  const outcome = { kind: kind === 'rejected' ? ('busy' as const) : kind, reason: message, isAway }
  return batch.map(({ key }) => ({ key, ...outcome }))
}

/** True if the store is unreachable or misconfigured, so that it is not tried again for now. */
function problemIn(outcomes: Outcome[], isSilent: boolean, isOver: boolean): PassProblem | undefined {
  const wrong = outcomes.find(({ kind }) => kind === 'misconfigured')
  if (wrong !== undefined) return { kind: 'misconfigured', reason: wrong.reason ?? '', isAway: isSilent }
  const busy = outcomes.find(({ kind }) => kind === 'busy')
  if (busy === undefined || !isOver) return undefined
  return { kind: 'busy', reason: busy.reason ?? '', isAway: isSilent || outcomes.some(({ isAway }) => isAway === true) }
}
