import { EmbeddedStore as NativeStore } from '../../index.js'
import { eachOrAll } from './batch.js'
import type { Embedder } from './embedder/embedder.js'
import { StoreFailure } from './failure.js'
import type {
  Capabilities,
  Delivery,
  Outcome,
  StoreAnswer,
  StoredThought,
  ThoughtQuery,
  ThoughtStore,
  VectorProgress,
} from './store.js'
import { wellFormed, wellFormedObject } from './wellformed.js'

/** The shared memory of this user on this machine: one file, in the addon. */
export class EmbeddedStore implements ThoughtStore {
  readonly backend = 'embedded'
  readonly place = '~/.forge/openbrain.db'
  readonly batchMax = 500
  readonly #native: NativeStore
  readonly #embedder: Embedder | undefined

  constructor(embedder: Embedder | undefined, path?: string) {
    this.#native = NativeStore.open(path)
    this.#embedder = embedder
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
      await this.#native.put(await this.#withVectors(thoughts))
      return part.map(({ key }) => ({ key, kind: 'delivered' as const }))
    })
  }

  remove(batch: Delivery[]): Promise<Outcome[]> {
    return this.#eachOrAll(batch, async (part) => {
      await this.#native.remove(part.flatMap(({ ids }) => ids))
      return part.map(({ key }) => ({ key, kind: 'gone' as const }))
    })
  }

  search(query: ThoughtQuery): Promise<StoreAnswer> {
    return this.#guarded(async () => {
      const { vector, remark } = await this.#vectorOf(query.text)
      const { hits, semantic } = await this.#native.search({ ...query, text: wellFormed(query.text), ...vector })
      const thoughts = hits.map(({ id, content, project, type, source, capturedAt, expiresAt, tags, score }) => ({
        id,
        content,
        project,
        type,
        source,
        createdAt: capturedAt,
        ...(expiresAt === undefined ? {} : { expiresAt }),
        tags,
        score,
      }))
      return { thoughts, semantic, ...(remark === undefined ? {} : { remark }) }
    })
  }

  count(project?: string): Promise<number> {
    return this.#guarded(() => this.#native.count(project))
  }

  embedMissing(limit: number): Promise<VectorProgress | undefined> {
    return this.#guarded(async () => {
      const embedder = this.#embedder
      if (embedder === undefined) return undefined
      const missing = await this.#native.withoutVectors(embedder.model, limit)
      if (missing.length > 0) {
        const vectors = await embedder.embed(missing.map(({ content }) => content))
        const pairs = missing.flatMap(({ id }, at) => {
          const vector = vectors[at]
          return vector === undefined ? [] : [{ id, vector }]
        })
        await this.#native.putVectors(embedder.model, pairs)
      }
      const space = (await this.#native.models()).find(({ name }) => name === embedder.model)
      const done = space?.vectors ?? 0
      return { model: embedder.model, made: missing.length, done, total: Math.max(done, await this.#native.count()) }
    })
  }

  async close(): Promise<void> {
    this.#native.close()
    this.#embedder?.close?.()
  }

  /** A thought without a vector is found by its words; `embedMissing` makes up for it when the embedder is back. */
  async #withVectors(
    thoughts: StoredThought[],
  ): Promise<(StoredThought & { vector?: Float32Array; model?: string })[]> {
    const embedder = this.#embedder
    if (embedder === undefined || thoughts.length === 0) return thoughts
    try {
      const vectors = await embedder.embed(thoughts.map(({ content }) => content))
      return thoughts.map((thought, at) => {
        const vector = vectors[at]
        return vector === undefined ? thought : { ...thought, vector, model: embedder.model }
      })
    } catch (error) {
      if (error instanceof StoreFailure && error.kind === 'misconfigured') throw error
      return thoughts
    }
  }

  async #vectorOf(text: string): Promise<{ vector?: { vector: Float32Array; model: string }; remark?: string }> {
    if (this.#embedder === undefined) return {}
    try {
      const [vector] = await this.#embedder.embed([text])
      return vector === undefined ? {} : { vector: { vector, model: this.#embedder.model } }
    } catch (error) {
      return { remark: (error as Error).message }
    }
  }

  async #checkDimensions(): Promise<void> {
    const embedder = this.#embedder
    const space = (await this.#native.models()).find(({ name }) => name === embedder?.model)
    if (embedder === undefined || space === undefined) return
    const dimensions = await embedder.dimensions().catch(() => space.dimensions)
    if (dimensions === space.dimensions) return
    const what = `${this.place} holds vectors of ${space.dimensions} numbers for ${embedder.model}`
    throw new StoreFailure('misconfigured', `${what}, but the embedder makes ${dimensions}: name another model`)
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

function cleaned(thought: StoredThought): StoredThought {
  const { content, tags, metadata } = thought
  return {
    ...thought,
    content: wellFormed(content),
    tags: tags.map(wellFormed),
    metadata: JSON.stringify(wellFormedObject(metadata)),
  }
}

/** What the addon refuses is the record's fault; a locked or full disk passes; a damaged file needs a person. */
function failureOf(error: unknown, place: string): StoreFailure {
  if (error instanceof StoreFailure) return error
  const { code, message } = error as { code?: unknown; message?: unknown }
  const said = `${place}: ${String(message)}`
  if (code === 'INVALID_INPUT') return new StoreFailure('rejected', said)
  if (code === 'CORRUPT' || code === 'UNSUPPORTED') return new StoreFailure('misconfigured', said)
  return new StoreFailure('busy', said)
}
