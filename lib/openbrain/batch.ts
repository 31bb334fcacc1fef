import type { StoreFailure } from './failure.js'
import type { Delivery, Outcome } from './store.js'

/**
 * Processes a batch in one call. When the store rejects it because of a record, its halves are, until that one is alone: it does not block the
 * others. `work` throws only `StoreFailure`.
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
    const middle = Math.ceil(batch.length / 2)
    return [...(await eachOrAll(batch.slice(0, middle), work)), ...(await eachOrAll(batch.slice(middle), work))]
  }
}

export function otherProject(id: string, project: string): string {
  return `${id} belongs to the project ${project}: forget it there`
}

/** Groups deletes that may affect the same projects. */
export function byProjects(batch: Delivery[]): Delivery[][] {
  const groups = new Map<string, Delivery[]>()
  for (const delivery of batch) {
    const name = JSON.stringify(delivery.projects)
    groups.set(name, [...(groups.get(name) ?? []), delivery])
  }
  return [...groups.values()]
}
