import type { Indexing, ThoughtStore, VectorProgress } from '../openbrain/store.js'

const BATCH_MIN = 64
const BATCH_MAX = 1024
/** Batches grow while they take less than this, so that a distant store costs few round trips, and shrink above twice that. */
const BATCH_MS = 1000

/** Computes missing vectors, batch by batch, until all are there or the rest is refused. */
export async function embedRest(
  store: ThoughtStore,
  signal: AbortSignal | undefined,
  onProgress: (progress: VectorProgress) => void,
  onIndexing?: (indexing: Indexing) => void,
): Promise<VectorProgress | undefined> {
  let last: VectorProgress | undefined
  let size = BATCH_MIN
  while (!signal?.aborted) {
    const started = performance.now()
    const progress = await store.embedMissing?.(size, onIndexing)
    if (progress === undefined) return last
    last = progress
    if (progress.tried === 0) return last
    onProgress(progress)
    size = nextSize(size, performance.now() - started)
  }
  return last
}

function nextSize(size: number, tookMs: number): number {
  if (tookMs < BATCH_MS) return Math.min(size * 2, BATCH_MAX)
  return tookMs > 2 * BATCH_MS ? Math.max(Math.floor(size / 2), BATCH_MIN) : size
}
