import { findProject, type ProjectOptions } from '../native.js'
import { openStore } from '../openbrain/client/open.js'
import { asFailure } from '../openbrain/handshakes.js'
import { reach } from '../openbrain/reach.js'
import { readSettings, storePlace } from '../openbrain/settings.js'
import type { Indexing, ThoughtStore, VectorProgress, VectorState } from '../openbrain/store.js'
import { requireTrust } from '../openbrain/trust.js'
import { embedRest } from './embedding.js'

/** The work on vectors of the shared store. */
export interface SharedEmbedding {
  made: number
  /** The address, without user, password or key. */
  place: string
  /** Null when the store is searched by words alone, computes its own vectors, or cannot be reached. */
  vectors: VectorState | null
  problem?: string
}

/** Computes the vectors that thoughts of the shared store lack. Each batch is stored, so an interrupted run resumes where it was. */
export async function embedStore(
  options: ProjectOptions,
  onProgress: (progress: VectorProgress) => void,
  onIndexing?: (indexing: Indexing) => void,
): Promise<SharedEmbedding> {
  let store: ThoughtStore | undefined
  let made = 0
  let place = ''
  try {
    const settings = readSettings(findProject(options))
    const { target } = settings
    place = storePlace(target)
    requireTrust(settings)
    await reach(target, settings.reachTimeoutMs)
    store = await openStore(settings)
    const note = (progress: VectorProgress) => {
      made += progress.made
      onProgress(progress)
    }
    const last = await embedRest(store, undefined, note, onIndexing)
    if (last === undefined) return { made, place, vectors: null }
    const { model, done, total, refused } = last
    return { made, place, vectors: { model, done, total, refused } }
  } catch (error) {
    return { made, place, vectors: null, problem: asFailure(error).message }
  } finally {
    await store?.close()
  }
}

/** True if the vectors of the shared store are computed by a server, so that no local model is needed for them. */
export function usesServedEmbedder(options: ProjectOptions): boolean {
  try {
    const { kind } = readSettings(findProject(options)).embedder
    return kind === 'ollama' || kind === 'openai'
  } catch {
    return false
  }
}
