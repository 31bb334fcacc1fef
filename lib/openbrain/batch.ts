import type { StoreFailure } from './failure.js'
import type { Delivery, Outcome } from './store.js'

/**
 * Does a batch at once; when the store refuses a record of it, each by itself, so that one bad record stops no other.
 * `work` throws nothing but `StoreFailure`.
 */
export async function eachOrAll(batch: Delivery[], work: (part: Delivery[]) => Promise<Outcome[]>): Promise<Outcome[]> {
  if (batch.length === 0) return []
  try {
    return await work(batch)
  } catch (error) {
    const failure = error as StoreFailure
    if (failure.kind !== 'rejected' || batch.length === 1) {
      return batch.map(({ key }) => ({ key, kind: failure.kind, reason: failure.message, isAway: failure.isAway }))
    }
    const outcomes: Outcome[] = []
    for (const delivery of batch) outcomes.push(...(await eachOrAll([delivery], work)))
    return outcomes
  }
}
