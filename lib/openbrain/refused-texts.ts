import { join } from 'node:path'
import { sha256 } from '../shared/digest.js'
import { forgeHome } from '../shared/home.js'
import { readPrivateMap, writePrivateMap } from '../shared/private-file.js'
import type { StoreFailure } from './failure.js'

/** The maximum number of attempts for a text. */
const ATTEMPTS_MAX = 5
/** The maximum number of refused texts. More mean a broken embedder, and the list is not kept. */
const TEXTS_MAX = 10_000

interface Refusal {
  attempts: number
  reason: string
}

/** The texts that an embedder refused, by the ids of their thoughts. Lexical search still finds them. */
export class RefusedTexts {
  readonly #path: string
  readonly #known: Map<string, Refusal>

  constructor(place: string, model: string) {
    const name = sha256(JSON.stringify([place, model]))
    this.#path = join(forgeHome(), 'refused-texts', `${name}.json`)
    // An unreadable file costs only a few more attempts.
    this.#known = readPrivateMap<Refusal>(this.#path)
  }

  get count(): number {
    return this.#known.size
  }

  /** True if a text has reached the maximum number of attempts. */
  isGivenUp(id: string): boolean {
    return (this.#known.get(id)?.attempts ?? 0) >= ATTEMPTS_MAX
  }

  /** Records the outcome of an embedding call: a reason for each refused text, and those that have a vector now. */
  note(refused: Map<string, string>, made: { id: string }[]): void {
    let isChanged = false
    for (const { id } of made) isChanged = this.#known.delete(id) || isChanged
    for (const [id, reason] of refused) {
      if (!this.#known.has(id) && this.#known.size >= TEXTS_MAX) continue
      this.#known.set(id, { attempts: (this.#known.get(id)?.attempts ?? 0) + 1, reason })
      isChanged = true
    }
    if (isChanged) writePrivateMap(this.#path, this.#known)
  }
}

/** Partitions embedding results: vectors to store, and reasons why there is none. */
export function sorted(
  texts: { id: string }[],
  vectors: (Float32Array | StoreFailure)[],
): { pairs: { id: string; vector: Float32Array }[]; refused: Map<string, string> } {
  const pairs: { id: string; vector: Float32Array }[] = []
  const refused = new Map<string, string>()
  for (const [at, { id }] of texts.entries()) {
    const vector = vectors[at]
    if (vector instanceof Float32Array) pairs.push({ id, vector })
    else refused.set(id, vector?.message ?? 'the answer contained no vector')
  }
  return { pairs, refused }
}
