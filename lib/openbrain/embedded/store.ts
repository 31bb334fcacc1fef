import { type EmbeddedHit, EmbeddedStore as NativeStore } from '../../native.js'
import { cameFromIn } from '../../shared/came-from.js'
import { given } from '../../shared/given.js'
import { hasCode, messageOf } from '../../shared/problem.js'
import { byProjects, eachOrAll } from '../batch.js'
import { type Embedder, queryVector } from '../embedder/embedder.js'
import { embedEach } from '../embedder/isolated.js'
import { countLong, EMPTY, embedPieces, mayBeLong, ofOnePiece, PIECES_AT_ONCE } from '../embedder/pieces.js'
import { StoreFailure } from '../failure.js'
import { RefusedTexts, sorted } from '../refused-texts.js'
import { EMBEDDED_PLACE } from '../settings.js'
import type {
  Capabilities,
  Decisions,
  Delivery,
  KeptThought,
  Outcome,
  Ruling,
  StoreAnswer,
  StoredThought,
  ThoughtHit,
  ThoughtQuery,
  ThoughtStore,
  VectorProgress,
  VectorState,
  Wanted,
} from '../store.js'
import { wellFormed, wellFormedObject } from '../wellformed.js'

/** Of how many of the newest thoughts the projects are named. */
const LISTED = 1000

/** The shared memory of this user on this machine: one SQLite file, read and written by the addon. */
export class EmbeddedStore implements ThoughtStore {
  readonly backend = 'embedded'
  readonly place = EMBEDDED_PLACE
  readonly batchMax = 500
  readonly #native: NativeStore
  readonly #embedder: Embedder | undefined
  /** The ids that the embedder refused since this store was opened. */
  readonly #tried = new Set<string>()

  constructor(embedder: Embedder | undefined, path?: string) {
    this.#native = NativeStore.open(path)
    this.#embedder = embedder
  }

  get model(): string | undefined {
    return this.#embedder?.model
  }

  state(): Promise<string> {
    return this.#guarded(() => this.#native.state())
  }

  handshake(): Promise<Capabilities> {
    return this.#guarded(async () => {
      await this.#native.count()
      await this.#checkDimensions()
      return {
        dialect: 'embedded',
        batch: true,
        scope: true,
        supersedes: true,
        delete: true,
        provenance: true,
        semantic: this.#embedder !== undefined,
        idempotent: 'by-id' as const,
        negotiatedAway: this.#embedder === undefined ? ['search by meaning: no embedder is set'] : [],
      }
    })
  }

  put(batch: Delivery[]): Promise<Outcome[]> {
    return this.#eachOrAll(batch, async (part) => {
      const thoughts = part.flatMap(({ thought }) => (thought === undefined ? [] : [cleaned(thought)]))
      const embedded = await this.#withVectors(thoughts)
      await this.#native.put(embedded)
      await this.#putPieces(embedded.filter(({ vector }) => vector !== undefined))
      return part.map(({ key }) => ({ key, kind: 'delivered' as const }))
    })
  }

  async remove(batch: Delivery[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    for (const group of byProjects(batch)) {
      const removed = await this.#eachOrAll(group, async (part) => {
        const ids = part.flatMap((delivery) => delivery.ids)
        await this.#native.remove(ids, part[0]?.projects)
        return part.map(({ key }) => ({ key, kind: 'gone' as const }))
      })
      outcomes.push(...removed)
    }
    return outcomes
  }

  rule(batch: Delivery[]): Promise<Outcome[]> {
    return this.#eachOrAll(batch, async (part) => {
      await this.#native.rule(
        part.flatMap(({ id, projects, ruling }) => (ruling === undefined ? [] : [rulingOf(id, projects, ruling)])),
      )
      return part.map(({ key }) => ({ key, kind: 'delivered' as const }))
    })
  }

  search(query: ThoughtQuery): Promise<StoreAnswer> {
    return this.#guarded(async () => {
      const { vector, semanticProblem } = await this.#vectorOf(query.text)
      const text = wellFormed(query.text)
      const { hits, semantic, irrelevant } = await this.#native.search({ ...query, text, ...vector })
      return {
        thoughts: hits.map(hitOf),
        semantic,
        ...(irrelevant ? { irrelevant } : {}),
        ...given({ semanticProblem }),
      }
    })
  }

  read({ after, createdBy: _, ...wanted }: Wanted): Promise<KeptThought[]> {
    return this.#guarded(async () => {
      const found = await this.#native.read({ ...wanted, ...(after === undefined ? {} : { after: Number(after) }) })
      return found.map(({ place, superseded, retired, rulings, conflicts, useful, wrong, ...thought }) => ({
        thought,
        place: String(place),
        state: superseded ? ('superseded' as const) : retired ? ('retired' as const) : ('current' as const),
        rulings,
        ...(conflicts.length > 0 ? { contradictedBy: conflicts } : {}),
        useful,
        wrong,
      }))
    })
  }

  decisions(projects: string[], since: string | undefined): Promise<Decisions> {
    return this.#guarded(async () => {
      const before: [rulings: number, gone: number] = since === undefined ? [0, 0] : JSON.parse(since)
      const { lines, rulings, gone } = await this.#native.decisions(projects, ...before)
      const upto = JSON.stringify([rulings, gone])
      return { lines, upto, isMore: upto !== JSON.stringify(before) }
    })
  }

  count(project?: string): Promise<number> {
    return this.#guarded(() => this.#native.count(project))
  }

  projects(): Promise<string[]> {
    return this.#guarded(async () => {
      const newest = await this.#native.list({ text: '', now: new Date().toISOString(), limit: LISTED })
      return [...new Set(newest.map(({ project }) => project))]
    })
  }

  embedMissing(limit: number): Promise<VectorProgress | undefined> {
    return this.#guarded(async () => {
      const embedder = this.#embedder
      if (embedder === undefined) return undefined
      const refusals = new RefusedTexts(this.place, embedder.model)
      const all = await this.#native.withoutVectors(embedder.model, limit + refusals.count)
      // A text that was refused in this round is not tried again in it, so that the loop ends.
      const missing = all.filter(({ id }) => !refusals.isGivenUp(id) && !this.#tried.has(id)).slice(0, limit)
      const vectors = await embedEach(
        embedder,
        missing.map(({ content }) => content),
      )
      const { pairs, refused } = sorted(missing, vectors)
      for (const id of refused.keys()) this.#tried.add(id)
      if (pairs.length > 0) await this.#native.putVectors(embedder.model, pairs)
      const short = ofOnePiece(missing.filter(({ id }) => !refused.has(id)))
      if (short.length > 0) await this.#native.putPieces(embedder.model, short)
      refusals.note(refused, pairs)
      const { made, tried } = missing.length === 0 ? await this.#embedPieces(embedder, refusals, limit) : EMPTY
      const state = await this.#vectorState(embedder.model)
      return { ...state, made: pairs.length + made, tried: missing.length + tried }
    })
  }

  /** Computes the pieces of long texts, once every thought has a vector. */
  async #embedPieces(embedder: Embedder, refusals: RefusedTexts, limit: number): Promise<typeof EMPTY> {
    const all = await this.#native.withoutPieces(embedder.model, limit + refusals.count)
    const missing = all.filter(({ id }) => !refusals.isGivenUp(id) && !this.#tried.has(id))
    const { made, refused } = await embedPieces(embedder, missing, limit)
    for (const id of refused.keys()) this.#tried.add(id)
    if (made.length > 0) await this.#native.putPieces(embedder.model, made)
    refusals.note(refused, made)
    return { made: countLong(made), tried: made.length + refused.size }
  }

  vectors(): Promise<VectorState | undefined> {
    return this.#guarded(async () => {
      const embedder = this.#embedder
      return embedder === undefined ? undefined : this.#vectorState(embedder.model)
    })
  }

  async #vectorState(model: string): Promise<VectorState> {
    const done = (await this.#native.models()).find(({ name }) => name === model)?.vectors ?? 0
    const total = Math.max(done, await this.#native.count())
    return { model, done, total, refused: Math.min(new RefusedTexts(this.place, model).count, total - done) }
  }

  async close(): Promise<void> {
    this.#native.close()
    this.#embedder?.close?.()
  }

  /** Stores the pieces of a few texts whose vectors were just stored; `embedMissing` computes what is missing. */
  async #putPieces(thoughts: StoredThought[]): Promise<void> {
    const texts = thoughts.filter(mayBeLong)
    if (this.#embedder === undefined || texts.length === 0) return
    const embedded = await embedPieces(this.#embedder, texts, PIECES_AT_ONCE).catch(() => undefined)
    if (embedded !== undefined && embedded.made.length > 0) {
      await this.#native.putPieces(this.#embedder.model, embedded.made)
    }
  }

  /** Computes vectors. A thought without one is found by its words, until `embedMissing` computes it. */
  async #withVectors(
    thoughts: StoredThought[],
  ): Promise<(StoredThought & { vector?: Float32Array; model?: string })[]> {
    const embedder = this.#embedder
    if (embedder === undefined || thoughts.length === 0) return thoughts
    try {
      const vectors = await embedEach(
        embedder,
        thoughts.map(({ content }) => content),
      )
      return thoughts.map((thought, at) => {
        const vector = vectors[at]
        return vector instanceof Float32Array ? { ...thought, vector, model: embedder.model } : thought
      })
    } catch (error) {
      if (error instanceof StoreFailure && error.kind === 'misconfigured') throw error
      return thoughts
    }
  }

  async #vectorOf(
    text: string,
  ): Promise<{ vector?: { vector: Float32Array; model: string }; semanticProblem?: string }> {
    if (this.#embedder === undefined) return {}
    try {
      const vector = await queryVector(this.#embedder, text)
      return vector === undefined ? {} : { vector: { vector, model: this.#embedder.model } }
    } catch (error) {
      return { semanticProblem: (error as Error).message }
    }
  }

  async #checkDimensions(): Promise<void> {
    const embedder = this.#embedder
    const space = (await this.#native.models()).find(({ name }) => name === embedder?.model)
    if (embedder === undefined || space === undefined) return
    const dimensions = await embedder.dimensions().catch(() => space.dimensions)
    if (dimensions === space.dimensions) return
    const what = `${this.place} holds vectors of ${space.dimensions} dimensions for ${embedder.model}`
    throw new StoreFailure('misconfigured', `${what}, but the embedder computes ${dimensions}: name another model`)
  }

  #eachOrAll(batch: Delivery[], work: (part: Delivery[]) => Promise<Outcome[]>): Promise<Outcome[]> {
    return eachOrAll(batch, (part) => this.#guarded(() => work(part)))
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw failureOf(error, this.place)
    }
  }
}

function hitOf(hit: EmbeddedHit): ThoughtHit {
  const { id, content, project, type, source, createdBy, capturedAt, expiresAt, tags, score, similarity } = hit
  const { matched, weak, over, conflicts, useful, wrong } = hit
  return {
    id,
    content,
    project,
    type,
    source,
    createdAt: capturedAt,
    ...given({ expiresAt }),
    tags,
    score,
    ...given({ cosine: similarity }),
    matched,
    ...given({ weak: weak || undefined, over: over || undefined }),
    ...given({ contradictedBy: conflicts.length > 0 ? conflicts : undefined }),
    ...given({ useful: useful || undefined, wrong: wrong || undefined }),
    createdBy,
    ...cameFromIn(JSON.parse(hit.metadata)),
  }
}

function cleaned(thought: StoredThought): StoredThought {
  const { content, tags, metadata } = thought
  return {
    ...thought,
    content: wellFormed(content),
    tags: tags.map(wellFormed),
    metadata: JSON.stringify(wellFormedObject(metadata)),
  }
}

/**
 * Classifies an error of the addon: an invalid record is rejected, a locked or full disk is temporary, a damaged file needs
 * a person.
 */
function failureOf(error: unknown, place: string): StoreFailure {
  if (error instanceof StoreFailure) return error
  const message = `${place}: ${messageOf(error)}`
  if (hasCode(error, 'INVALID_INPUT')) return new StoreFailure('rejected', message)
  if (hasCode(error, 'CORRUPT', 'UNSUPPORTED')) return new StoreFailure('misconfigured', message)
  return new StoreFailure('busy', message)
}

function rulingOf(id: string, projects: string[], { why, more = {}, ...ruling }: Ruling) {
  return { ...ruling, id, projects, why: wellFormed(why), more: JSON.stringify(more) }
}
