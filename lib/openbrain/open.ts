import { openEmbedder } from './embedder/index.js'
import type { StoreSettings } from './settings.js'
import type { ThoughtStore } from './store.js'

/** Opens the store that a project's settings name. What a backend needs is loaded here, on first use. */
export async function openStore(settings: StoreSettings): Promise<ThoughtStore> {
  const { target } = settings
  if (target.backend === 'remote') {
    // The server makes its own vectors.
    const { RemoteStore } = await import('./remote/store.js')
    return new RemoteStore(target, settings)
  }
  const embedder = await openEmbedder(settings.embedder, settings.insecure)
  if (target.backend === 'postgres') {
    const { PostgresStore } = await import('./postgres/store.js')
    return new PostgresStore(target, embedder, settings.timeoutMs)
  }
  const { EmbeddedStore } = await import('./embedded.js')
  return new EmbeddedStore(embedder, target.path)
}
