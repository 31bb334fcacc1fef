import { StoreFailure } from '../failure.js'
import type { Embedder } from './embedder.js'

/** A text that every working embedder accepts. */
const HARMLESS = 'dimensions'

/**
 * Embeds texts, with poison isolation by bisection: when the embedder fails on a list, its halves are tried, until the texts that it
 * fails on are alone; those get the failure in place of a vector. Throws when the embedder fails on a harmless text as well.
 */
export async function embedEach(embedder: Embedder, texts: string[]): Promise<(Float32Array | StoreFailure)[]> {
  if (texts.length === 0) return []
  try {
    return await embedder.embed(texts)
  } catch (error) {
    const failure = error instanceof StoreFailure ? error : new StoreFailure('busy', (error as Error).message)
    if (failure.isAway) throw failure
    // Checked before splitting: an embedder that is down would fail on every part.
    await embedder.embed([HARMLESS]).catch(() => {
      throw failure
    })
    if (texts.length === 1) return [failure]
    const middle = Math.ceil(texts.length / 2)
    const first = await embedEach(embedder, texts.slice(0, middle))
    return [...first, ...(await embedEach(embedder, texts.slice(middle)))]
  }
}
