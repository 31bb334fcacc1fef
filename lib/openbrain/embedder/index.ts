import { StoreFailure } from '../failure.js'
import type { EmbedderSettings } from '../settings.js'
import type { Embedder } from './embedder.js'
import { localEmbedder } from './local.js'

export type { Embedder } from './embedder.js'

/** Opens the embedder of the settings. Returns undefined when there is none; search is lexical only then. */
export async function openEmbedder(settings: EmbedderSettings): Promise<Embedder | undefined> {
  switch (settings.kind) {
    case 'none':
      return undefined
    case 'local':
      return openLocal(settings.model)
    case 'ollama':
      return (await import('./ollama.js')).ollamaEmbedder(settings.url, settings.model)
    case 'openai':
      return (await import('./openai.js')).openaiEmbedder(settings.url, settings.model, settings.key, settings.insecure)
  }
}

/** A damaged model must not block deliveries: it is replaced by an embedder that fails with the reason. */
async function openLocal(model: string | undefined): Promise<Embedder | undefined> {
  try {
    return await localEmbedder(model)
  } catch (error) {
    const fail = async () => {
      throw new StoreFailure('busy', `the local embedder is unavailable: ${(error as Error).message}`)
    }
    return { model: 'local', dimensions: fail, embed: fail }
  }
}
