import { sha256 } from '../../shared/digest.js'
import { forgeHome } from '../../shared/home.js'
import { EmbeddedStore } from '../embedded/store.js'
import type { Embedder } from '../embedder/embedder.js'
import { openEmbedder } from '../embedder/index.js'
import { localEmbedderOf } from '../embedder/local.js'
import { StoreFailure } from '../failure.js'
import { personIn } from '../person.js'
import type { StoreSettings } from '../settings.js'
import type { ThoughtStore } from '../store.js'
import { refusal, requireTrust, untrusted } from '../trust.js'

/**
 * Opens the store that a project's settings name, if the user has approved it. The code of a backend on another machine is loaded on
 * first use. An embedder that is given belongs to the store from then on.
 */
export async function openStore(settings: StoreSettings, given?: Embedder): Promise<ThoughtStore> {
  const { target } = settings
  requireTrust(settings)
  if (target.backend === 'remote') {
    // The server computes its own vectors.
    const { RemoteStore } = await import('../remote/store.js')
    return new RemoteStore(target, settings)
  }
  const embedder = given ?? (await embedderOf(settings))
  if (target.backend === 'postgres') {
    const { PostgresStore } = await import('../postgres/store.js')
    return new PostgresStore(target, embedder, settings.timeoutMs, {
      efSearch: settings.efSearch,
      client: clientOf(settings),
      person: () => personIn(settings),
      embedderOf: (model) => embedderNamed(settings, model),
    })
  }
  return new EmbeddedStore(embedder, target.path)
}

export async function embedderOf(settings: StoreSettings): Promise<Embedder | undefined> {
  return refusedEmbedder(settings) ?? (await openEmbedder(settings.embedder))
}

/** Opens the embedder of another model, of which a store still has the vectors, as far as the settings say where it is. */
async function embedderNamed(settings: StoreSettings, model: string): Promise<Embedder | undefined> {
  const { kind } = settings.embedder
  const served = /^(ollama|openai):(.+)$/.exec(model)
  if (served === null) return localEmbedderOf(model)
  if (served[1] !== kind || refusedEmbedder(settings) !== undefined) return undefined
  return openEmbedder({ ...settings.embedder, model: served[2] ?? '' })
}

/** Names the user of an embedder: this project of this user on this machine, as a digest. */
function clientOf({ projectDir }: StoreSettings): string {
  const { hostname, userInfo } = process.getBuiltinModule('node:os')
  const parts = [hostname(), userInfo().username, forgeHome(), projectDir]
  return sha256(JSON.stringify(parts)).slice(0, 32)
}

/** An embedder that is not approved receives no text. It is replaced by one that fails with the reason. */
function refusedEmbedder({ projectDir, embedder, embedderAddress }: StoreSettings): Embedder | undefined {
  if (embedderAddress === undefined || untrusted({ projectDir, embedderAddress }).length === 0) return undefined
  const fail = async () => {
    throw new StoreFailure('busy', refusal(embedderAddress))
  }
  return { model: `${embedder.kind}:${embedder.model ?? ''} (not approved)`, dimensions: fail, embed: fail }
}
