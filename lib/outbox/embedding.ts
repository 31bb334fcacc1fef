import type { ThoughtStore, VectorProgress } from '../openbrain/store.js'

const EMBED_BATCH = 64

/** Computes missing vectors, batch by batch, until all are there or the rest is refused. */
export async function embedRest(
  store: ThoughtStore,
  signal: AbortSignal | undefined,
  tell: (progress: VectorProgress) => void,
): Promise<VectorProgress | undefined> {
  let last: VectorProgress | undefined
  while (!signal?.aborted) {
    const progress = await store.embedMissing?.(EMBED_BATCH)
    if (progress === undefined) return last
    last = progress
    if (progress.tried === 0) return last
    tell(progress)
    if (progress.done >= progress.total) return last
  }
  return last
}
