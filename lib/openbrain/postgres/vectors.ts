// The vectors of an embedding model in their table: computed for thoughts that have none, and indexed once there are many.
import type { Embedder } from '../embedder/embedder.js'
import { embedEach } from '../embedder/isolated.js'
import {
  countLong,
  EMPTY,
  embedPieces,
  mayBeLong,
  ofOnePiece,
  PIECES_AT_ONCE,
  type Pieces,
} from '../embedder/pieces.js'
import { StoreFailure } from '../failure.js'
import { RefusedTexts, sorted } from '../refused-texts.js'
import type { Indexing, StoredThought, VectorProgress, VectorState } from '../store.js'
import type { Database } from './database.js'
import { databaseFailure } from './database-failure.js'
import { complete, recordUse } from './model-change.js'
import type { Reader } from './reader.js'
import { floatArray } from './rows.js'
import { checkDimensions, openSpace, type Space, type SpaceRow, spaceOf, type VectorTable } from './schema.js'
import * as sql from './sql.js'
import { type Building, buildIndex, indexTail, isBeingIndexed, measureIndex } from './vector-index.js'

/** A batch of at most this size is stored with its vectors; a larger one first, so that its words can be found meanwhile. */
const EMBEDDED_AT_ONCE = 64
const INDEXING = 'is building the index of its vectors; the missing ones are computed after that'
/** How long the counts of a table are continued before they are read again. */
const COUNTS_MS = 10_000

/** A text without vectors, and the place behind which the next one is looked for. */
interface MissingText {
  id: string
  content: string
  stored_at: string
}

interface Cursor {
  at?: { storedAt: string; id: string } | undefined
}

export interface Pair {
  id: string
  vector: Float32Array
}

interface VectorsOptions {
  place: string
  /** Who uses the embedder. */
  client: string
  partMax: number | undefined
}

export class Vectors {
  readonly #database: Database
  readonly #reader: Reader
  readonly #embedder: Embedder
  readonly #place: string
  readonly #client: string
  readonly #partMax: number | undefined
  #space: Space | undefined
  /** The ids that the embedder refused since this store was opened. */
  readonly #tried = new Set<string>()
  #counts: { done: number; total: number; at: number } | undefined
  /** Where the search for thoughts without a vector goes on, and that for those without pieces. */
  #cursor: Cursor = {}
  #cursorOfPieces: Cursor = {}

  constructor(database: Database, reader: Reader, embedder: Embedder, { place, client, partMax }: VectorsOptions) {
    this.#database = database
    this.#reader = reader
    this.#embedder = embedder
    this.#place = place
    this.#client = client
    this.#partMax = partMax
  }

  /** Reads the table again at the next need. */
  forget(): void {
    this.#space = undefined
    this.#counts = undefined
    this.#cursor = {}
    this.#cursorOfPieces = {}
  }

  /** The table of the model, created on first use. */
  async open(): Promise<Space> {
    if (this.#space !== undefined) return this.#space
    const space = (await this.find()) ?? (await this.#create())
    await recordUse(this.#database, this.#client, space)
    this.#space = space
    return space
  }

  async #create(): Promise<Space> {
    const dimensions = await this.#embedder.dimensions()
    const space = await openSpace(this.#database, this.#embedder.model, dimensions)
    this.#reader.forget()
    return space
  }

  async find(): Promise<Space | undefined> {
    const { model } = this.#embedder
    const row = (await this.#reader.survey()).spaces.find((space) => space.model === model)
    if (row === undefined) return undefined
    checkDimensions(model, row.dimensions, await this.#embedder.dimensions())
    return spaceOf(row)
  }

  /** The vectors to store with a batch: those of a small one. A thought without one is found by its words until later. */
  async ofBatch(thoughts: StoredThought[]): Promise<{ space: Space; pairs: Pair[] } | undefined> {
    if (thoughts.length === 0 || thoughts.length > EMBEDDED_AT_ONCE) return undefined
    try {
      const space = await this.open()
      const contents = thoughts.map(({ content }) => content)
      const { pairs } = sorted(thoughts, await embedEach(this.#embedder, contents))
      if (await isBeingIndexed(this.#database, space)) return undefined
      return { space, pairs }
    } catch (error) {
      const failure = databaseFailure(error, this.#place)
      if (failure.kind === 'misconfigured') throw failure
      return undefined
    }
  }

  /** Computes vectors of thoughts that have none, newest first. At the end, the table gets its index. */
  async embedMissing(limit: number, onIndexing?: (indexing: Indexing) => void): Promise<VectorProgress> {
    const space = await this.open()
    if (await isBeingIndexed(this.#database, space)) throw new StoreFailure('busy', `${this.#place} ${INDEXING}`)
    const { model } = this.#embedder
    const refusals = new RefusedTexts(this.#place, model)
    const missing = await this.#missing(sql.withoutVector(space), this.#cursor, limit, refusals)
    const contents = missing.map(({ content }) => content)
    const { pairs, refused } = sorted(missing, await embedEach(this.#embedder, contents))
    for (const id of refused.keys()) this.#tried.add(id)
    await this.#insert(space, pairs)
    await this.#insertPieces(space, ofOnePiece(missing.filter(({ id }) => !refused.has(id))))
    refusals.note(refused, pairs)
    if (this.#counts !== undefined) this.#counts.done += pairs.length
    const { made, tried } = missing.length === 0 ? await this.#embedPieces(space, limit, refusals) : EMPTY
    const isDone = missing.length === 0 && tried === 0
    const state = await this.#state(space, refusals.count, isDone)
    if (isDone) await this.#finish(space, state, { partMax: this.#partMax, onProgress: onIndexing })
    return { ...state, made: pairs.length + made, tried: missing.length + tried }
  }

  /** Computes the pieces of long texts, once every thought has a vector. */
  async #embedPieces(space: Space, limit: number, refusals: RefusedTexts): Promise<typeof EMPTY> {
    const missing = await this.#missing(sql.withoutPieces(space.pieces, space), this.#cursorOfPieces, limit, refusals)
    const { made, refused } = await embedPieces(this.#embedder, missing, limit)
    // The page may have more texts than were embedded.
    const last = missing[made.length + refused.size - 1]
    if (last !== undefined) this.#cursorOfPieces.at = { storedAt: last.stored_at, id: last.id }
    for (const id of refused.keys()) this.#tried.add(id)
    await this.#insertPieces(space, made)
    refusals.note(refused, made)
    return { made: countLong(made), tried: made.length + refused.size }
  }

  /** Stores the pieces of a few texts whose vectors were just stored; what fails is computed later. */
  async addPieces(space: Space, thoughts: StoredThought[]): Promise<void> {
    const texts = thoughts.filter(mayBeLong)
    if (texts.length === 0) return
    try {
      await this.#insertPieces(space, (await embedPieces(this.#embedder, texts, PIECES_AT_ONCE)).made)
    } catch (error) {
      if (databaseFailure(error, this.#place).kind === 'misconfigured') throw error
    }
  }

  async #insertPieces(space: Space, made: Pieces[]): Promise<void> {
    if (made.length === 0) return
    const vectors = made.flatMap((text) => text.vectors)
    const numbered = made.flatMap(({ id, vectors: own }) => own.map((_, at) => ({ id, piece: at + 1 })))
    for (const { id, vectors: own } of made) if (own.length === 0) numbered.push({ id, piece: 0 })
    await this.#database.query(sql.insertPieces(space.pieces, space), [
      numbered.map(({ id }) => id),
      numbered.map(({ piece }) => piece),
      vectors[0]?.length ?? 1,
      vectors.length === 0 ? null : floatArray(vectors),
    ])
  }

  /** Nothing is missing that can be computed: the table gets its index, and takes the place of those of former models. */
  async #finish(space: Space, { done, total, refused }: VectorState, building: Building): Promise<void> {
    if (await this.#index(space.pieces, building)) this.#reread()
    const isBuilt = await this.#index(space, building)
    if (isBuilt) this.#reread()
    if (isBuilt || (space.isIndexed && done >= 2 * ((await this.#row(space))?.tuned_rows ?? 0))) {
      await measureIndex(this.#database, await this.open(), done, this.#embedder)
      this.#reread()
    }
    if (total === 0 || done + refused < total) return
    if ((await this.#row(space))?.filled_at && (await this.#reader.survey()).spaces.length === 1) return
    await complete(this.#database, space)
    this.#reader.forget()
  }

  /** Takes new vectors into the index of a table, or builds what there is not of it. Returns true when something was built. */
  async #index(table: VectorTable, building: Building): Promise<boolean> {
    if (table.isIndexed && !(await indexTail(this.#database, table, building))) return false
    return buildIndex(this.#database, table, building)
  }

  /** The row of the model has changed. */
  #reread(): void {
    this.#space = undefined
    this.#reader.forget()
  }

  async #row({ id }: Space): Promise<SpaceRow | undefined> {
    return (await this.#reader.survey()).spaces.find((row) => row.id === id)
  }

  /** A text that was refused in this round is not tried again in it, so that the loop ends. */
  async #missing(text: string, cursor: Cursor, limit: number, refusals: RefusedTexts): Promise<MissingText[]> {
    // At the end it begins again, once, for thoughts that were stored meanwhile.
    let mayRestart = cursor.at !== undefined
    for (;;) {
      const { storedAt = 'infinity', id: from = '' } = cursor.at ?? {}
      const { rows } = await this.#database.query(text, [storedAt, from, limit])
      const page = rows as MissingText[]
      const last = page.at(-1)
      cursor.at = last && { storedAt: last.stored_at, id: last.id }
      const missing = page.filter(({ id }) => !refusals.isGivenUp(id) && !this.#tried.has(id))
      if (missing.length > 0) return missing
      if (last !== undefined) continue
      if (!mayRestart) return []
      mayRestart = false
    }
  }

  async state(): Promise<VectorState> {
    const space = await this.find()
    const refused = new RefusedTexts(this.#place, this.#embedder.model).count
    if (space !== undefined) return this.#state(space, refused)
    const { rows } = await this.#reader.query(sql.COUNT, [null])
    return { model: this.#embedder.model, done: 0, total: Number(rows[0]?.count ?? 0), refused }
  }

  async #state(space: Space, refused: number, isExact = true): Promise<VectorState> {
    const isCurrent = this.#counts !== undefined && Date.now() - this.#counts.at < COUNTS_MS
    if (isExact || !isCurrent) {
      const { rows } = await this.#reader.query(sql.vectorCounts(space))
      this.#counts = { done: Number(rows[0]?.done), total: Number(rows[0]?.total), at: Date.now() }
    }
    const { done = 0, total = 0 } = this.#counts ?? {}
    return { model: this.#embedder.model, done, total, refused: Math.min(refused, total - done) }
  }

  async #insert(space: Space, pairs: Pair[]): Promise<void> {
    if (pairs.length === 0) return
    await this.#database.query(sql.insertVectors(space), [
      pairs.map(({ id }) => id),
      floatArray(pairs.map(({ vector }) => vector)),
      pairs[0]?.vector.length,
    ])
  }
}
