import type { Embedder } from '../embedder/embedder.js'
import { openEmbedder } from '../embedder/index.js'
import { StoreFailure } from '../failure.js'
import type { StoreSettings } from '../settings.js'
import type { ThoughtStore } from '../store.js'
import { refusal, requireTrust, untrusted } from '../trust.js'

/** Opens the store that a project's settings name, if the user has approved it. What a backend needs is loaded here, on first use. */
export async function openStore(settings: StoreSettings): Promise<ThoughtStore> {
  const { target } = settings
  requireTrust(settings)
  if (target.backend === 'remote') {
    // The server makes its own vectors.
    const { RemoteStore } = await import('../remote/store.js')
    return new RemoteStore(target, settings)
  }
  const embedder = refusedEmbedder(settings) ?? (await openEmbedder(settings.embedder, settings.insecure))
  if (target.backend === 'postgres') {
    const { PostgresStore } = await import('../postgres/store.js')
    return new PostgresStore(target, embedder, settings.timeoutMs)
  }
  const { EmbeddedStore } = await import('../embedded/store.js')
  return new EmbeddedStore(embedder, target.path)
}

/** An embedder that is not approved gets no text. It is treated like one that is down, with the reason. */
function refusedEmbedder({ projectDir, embedder, embedderAddress }: StoreSettings): Embedder | undefined {
  if (embedderAddress === undefined || untrusted({ projectDir, embedderAddress }).length === 0) return undefined
  const fail = async () => {
    throw new StoreFailure('busy', refusal(embedderAddress))
  }
  return { model: `${embedder.kind}:${embedder.model ?? ''}`, dimensions: fail, embed: fail }
}
