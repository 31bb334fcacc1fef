import type { Embedder } from './embedder.js'

/** The part of the addon's class that is used here. */
interface NativeEmbedder {
  readonly dimensions: number
  embed(texts: string[]): Promise<Float32Array[]>
  close(): void
}

interface NativeModule {
  LocalEmbedder?: { open(): NativeEmbedder }
}

/** The model that can be installed; vectors of another one cannot be compared with its own. */
const LOCAL_MODEL = 'all-MiniLM-L6-v2'

/** Opens the installed model; undefined where this addon has none, where it is not installed or another one is asked for. */
export async function localEmbedder(model = LOCAL_MODEL): Promise<Embedder | undefined> {
  const { LocalEmbedder } = (await import('../../../index.js')) as unknown as NativeModule
  if (LocalEmbedder === undefined || model !== LOCAL_MODEL) return undefined
  try {
    const native = LocalEmbedder.open()
    return {
      model: `local:${LOCAL_MODEL}`,
      dimensions: async () => native.dimensions,
      embed: (texts) => native.embed(texts),
      close: () => native.close(),
    }
  } catch (error) {
    if ((error as { code?: unknown }).code === 'MODEL_MISSING') return undefined
    throw error
  }
}
