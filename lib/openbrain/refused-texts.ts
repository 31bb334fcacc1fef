import { createHash } from 'node:crypto'
import { closeSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { forgeHome } from '../shared/home.js'
import { writePrivateFile } from '../shared/private-file.js'
import { openRegular } from '../shared/regular-file.js'
import type { StoreFailure } from './failure.js'

/** The maximum number of attempts for a text. */
const ATTEMPTS_MAX = 5
/** More refused texts than that mean a broken embedder, so the list is not kept. */
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
    const name = createHash('sha256')
      .update(JSON.stringify([place, model]))
      .digest('hex')
    this.#path = join(forgeHome(), 'refused-texts', `${name}.json`)
    this.#known = read(this.#path)
  }

  get count(): number {
    return this.#known.size
  }

  /** Tells whether a text was refused so often that it is not tried any more. */
  isGivenUp(id: string): boolean {
    return (this.#known.get(id)?.attempts ?? 0) >= ATTEMPTS_MAX
  }

  /** Records the outcome for some texts: a reason for each that was refused. */
  note(refused: Map<string, string>, made: string[]): void {
    let isChanged = false
    for (const id of made) isChanged = this.#known.delete(id) || isChanged
    for (const [id, reason] of refused) {
      if (!this.#known.has(id) && this.#known.size >= TEXTS_MAX) continue
      this.#known.set(id, { attempts: (this.#known.get(id)?.attempts ?? 0) + 1, reason })
      isChanged = true
    }
    if (isChanged) writePrivateFile(this.#path, `${JSON.stringify(Object.fromEntries(this.#known))}\n`)
  }
}

function read(path: string): Map<string, Refusal> {
  try {
    const file = openRegular(path)
    if (file === undefined) return new Map()
    try {
      return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Refusal>))
    } finally {
      closeSync(file)
    }
  } catch {
    // An unreadable file only costs a few more attempts.
    return new Map()
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
