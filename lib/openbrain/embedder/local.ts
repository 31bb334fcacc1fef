import type { LocalEmbedder } from '../../native.js'
import { hasCode } from '../../shared/problem.js'
import type { Embedder } from './embedder.js'

/** The batch size of a task on the thread pool; other tasks and `close` run between batches. */
const TEXTS_TOGETHER = 32

/** Embeds texts in this process, on the thread pool, with the installed model. */
class LocalTexts implements Embedder {
  readonly model: string
  readonly #native: LocalEmbedder

  constructor(native: LocalEmbedder) {
    this.#native = native
    this.model = native.key
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

  async embedQuery(text: string): Promise<Float32Array | undefined> {
    return (await this.#native.embed([text], 'query'))[0]
  }

  close(): void {
    this.#native.close()
  }
}

/**
 * Opens the installed model of this name, or the one that is the user's choice. Returns undefined when it is not installed; search is
 * lexical only then, and says so. A damaged model is an error with the code `CORRUPT`.
 */
export async function localEmbedder(name?: string): Promise<Embedder | undefined> {
  const { LocalEmbedder: Native } = await import('../../native.js')
  try {
    return new LocalTexts(Native.open(name === undefined ? {} : { name }))
  } catch (error) {
    if (hasCode(error, 'MODEL_MISSING')) return undefined
    throw error
  }
}

/** Opens the installed model under whose key vectors are kept, whatever model is used now. Returns undefined when it is gone. */
export async function localEmbedderOf(key: string): Promise<Embedder | undefined> {
  const { LocalEmbedder: Native, listModels } = await import('../../native.js')
  for (const { name } of await listModels()) {
    try {
      const native = Native.open({ name })
      if (native.key === key) return new LocalTexts(native)
      native.close()
    } catch {
      // A model that is damaged.
    }
  }
  return undefined
}
