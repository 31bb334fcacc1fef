import type { LocalEmbedder } from '../../native.js'
import { hasCode } from '../../shared/problem.js'
import type { Embedder } from './embedder.js'

/** The model that can be installed; vectors of another one cannot be compared with its own. */
const LOCAL_MODEL = 'all-MiniLM-L6-v2'

/** So many texts are one piece of work for the thread pool: `close` and others get their turn in between. */
const TEXTS_TOGETHER = 32

/** Embeds in this process, in the background, with the installed model. */
class LocalTexts implements Embedder {
  readonly model = `local:${LOCAL_MODEL}`
  readonly #native: LocalEmbedder

  constructor(native: LocalEmbedder) {
    this.#native = native
  }

  async dimensions(): Promise<number> {
    return this.#native.dimensions
  }

  async embed(texts: string[]): Promise<Float32Array[]> {
    const vectors: Float32Array[] = []
    for (let at = 0; at < texts.length; at += TEXTS_TOGETHER) {
      vectors.push(...(await this.#native.embed(texts.slice(at, at + TEXTS_TOGETHER))))
    }
    return vectors
  }

  close(): void {
    this.#native.close()
  }
}

/**
 * Opens the installed model; undefined where it is not installed or another one is asked for: search then goes by words,
 * and says so. A model that is there but damaged is an error with the code `CORRUPT`.
 */
export async function localEmbedder(model = LOCAL_MODEL, folder?: string): Promise<Embedder | undefined> {
  if (model !== LOCAL_MODEL) return undefined
  const { LocalEmbedder: Native } = await import('../../native.js')
  try {
    return new LocalTexts(Native.open(folder === undefined ? {} : { folder }))
  } catch (error) {
    if (hasCode(error, 'MODEL_MISSING')) return undefined
    throw error
  }
}
