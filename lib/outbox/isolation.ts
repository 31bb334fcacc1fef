// Poison message isolation by bisection: a batch that fails is split in halves until the records that fail are alone. Finding d
// failing records of n takes O(d log n) calls (generalized binary splitting, Hwang 1972).
import type { Delivery, Outcome } from '../openbrain/store.js'

/** After this many consecutive records that fail alone, the store is considered down. */
export const ALONE_MAX = 3

/** The outcome of a batch after its failing records are isolated. */
export interface Isolated {
  outcomes: Outcome[]
  /** The keys of records that failed alone. The rest of the pass shows whether they or the store are to blame. */
  alone: Set<string>
  /** True when the store seems to be away: the rest was not tried. */
  isAway: boolean
}

type Work = (part: Delivery[]) => Promise<Outcome[]>

/**
 * Delivers a batch. When the store fails on it, its halves are tried, until the failing records are alone: one record that a store
 * cannot take must not block the others (head-of-line blocking). Records that failed before are tried last.
 */
export async function isolate(batch: Delivery[], work: Work, hasDelivered: boolean): Promise<Isolated> {
  const isSuspect = ({ attempts, lastError }: Delivery) => attempts > 0 || lastError !== undefined
  const fresh = batch.filter((delivery) => !isSuspect(delivery))
  const search = new Isolation(work, hasDelivered)
  await search.deliver(fresh)
  await search.deliver(batch.filter(isSuspect))
  const { outcomes, alone, isAway } = search
  return { outcomes: batch.map(({ key }) => outcomes.get(key) ?? { key, ...search.last }), alone, isAway }
}

class Isolation {
  readonly outcomes = new Map<string, Outcome>()
  readonly alone = new Set<string>()
  isAway = false
  /** The outcome of a record that was not attempted. */
  last: Pick<Outcome, 'kind' | 'reason'> = { kind: 'busy', reason: 'it was not attempted' }
  readonly #work: Work
  #hasDelivered: boolean

  constructor(work: Work, hasDelivered: boolean) {
    this.#work = work
    this.#hasDelivered = hasDelivered
  }

  async deliver(part: Delivery[]): Promise<void> {
    if (part.length === 0 || this.isAway) return
    const outcomes = await this.#work(part)
    for (const outcome of outcomes) this.outcomes.set(outcome.key, outcome)
    this.#hasDelivered ||= outcomes.some(({ kind }) => kind === 'delivered' || kind === 'gone')
    const busy = outcomes.filter(({ kind }) => kind === 'busy')
    const [first] = busy
    if (first === undefined) return
    this.last = { kind: 'busy', ...(first.reason === undefined ? {} : { reason: first.reason }) }
    this.isAway = busy.some(({ isAway }) => isAway) || outcomes.some(({ kind }) => kind === 'misconfigured')
    if (this.isAway) return
    if (part.length === 1) return this.#standsAlone(first.key)
    const keys = new Set(busy.map(({ key }) => key))
    // A request that timed out may have been stored, so the retry says that it was tried before.
    const tried = { lastError: first.reason ?? 'it failed' }
    const again = part.filter(({ key }) => keys.has(key)).map((delivery) => ({ ...delivery, ...tried }))
    const middle = Math.ceil(again.length / 2)
    await this.deliver(again.slice(0, middle))
    await this.deliver(again.slice(middle))
  }

  #standsAlone(key: string): void {
    this.alone.add(key)
    this.isAway = !this.#hasDelivered && this.alone.size >= ALONE_MAX
  }
}
