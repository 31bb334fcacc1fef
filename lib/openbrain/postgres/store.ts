import { randomUUID } from 'node:crypto'
import pg, { type Pool, type PoolClient } from 'pg'
import { eachOrAll } from '../batch.js'
import type { Embedder } from '../embedder/embedder.js'
import { embedEach } from '../embedder/isolated.js'
import { StoreFailure } from '../failure.js'
import { fuseRanks } from '../rank-fusion.js'
import { RefusedTexts, sorted } from '../refused-texts.js'
import { byProjects, otherProject } from '../scope.js'
import { placeOf, type StoreTarget } from '../settings.js'
import type {
  Capabilities,
  Delivery,
  Outcome,
  StoreAnswer,
  StoredThought,
  ThoughtHit,
  ThoughtQuery,
  ThoughtStore,
  VectorProgress,
  VectorState,
} from '../store.js'
import { wellFormed } from '../wellformed.js'
import { connectionOf } from './connection.js'
import { databaseFailure } from './faults.js'
import { listenTo } from './notices.js'
import { isOtherService } from './probe.js'
import { hitOf, type Row, rowOf, vectorText } from './rows.js'
import { CHANNEL, migrate, openSpace, SCHEMA, type Space, vectorVersion } from './schema.js'
import * as sql from './sql.js'

/** A list of each kind is fused from so many times what was asked for, so that a late place in one can be made good. */
const DEPTH = 4
const DEPTH_MIN = 40
/** A notice has at most 8,000 bytes. */
const NOTICE_IDS_BYTES = 7000

/** A shared memory in PostgreSQL with pgvector. */
export class PostgresStore implements ThoughtStore {
  readonly backend = 'postgres'
  readonly place: string
  readonly batchMax = 100
  /** Tells our own notices from those of others. */
  readonly #self: string = randomUUID()
  readonly #connection: pg.PoolConfig
  readonly #embedder: Embedder | undefined
  #pool: Pool | undefined
  #vector: [number, number] | undefined
  /** Why there are no vectors. */
  #vectorMissing: string | undefined
  #space: Space | undefined
  #isReady = false
  #hasAnswered = false
  /** What the embedder refused since this store was opened. */
  readonly #tried = new Set<string>()

  constructor(
    target: Extract<StoreTarget, { backend: 'postgres' }>,
    embedder: Embedder | undefined,
    timeoutMs = 10_000,
  ) {
    this.place = placeOf(target.url)
    this.#connection = connectionOf(target.url, target.password, timeoutMs)
    this.#embedder = embedder
  }

  get model(): string | undefined {
    return this.#embedder?.model
  }

  /** One row, read without checking the schema: without that row there is no cached answer either. */
  async state(): Promise<string | undefined> {
    try {
      const { rows } = await this.#despitePooler(() => this.#query(sql.STATE))
      return rows[0] === undefined ? undefined : `${rows[0].count} ${rows[0].at}`
    } catch (error) {
      const failure = databaseFailure(error, this.place)
      if (sql.NO_STATE.includes(String(failure.status))) return undefined
      throw await this.#explained(failure)
    }
  }

  handshake(): Promise<Capabilities> {
    return this.#guarded(async () => {
      await this.#prepare()
      const negotiatedAway: string[] = []
      if (this.#vectorMissing !== undefined) negotiatedAway.push(`search by meaning: ${this.#vectorMissing}`)
      else if (this.#embedder === undefined) negotiatedAway.push('search by meaning: no embedder is set')
      const space = await this.#openSpace().catch((error: unknown) => {
        // An embedder that is down must not hold up what needs none; a wrong one is for a person to see to.
        const failure = databaseFailure(error, this.place)
        if (failure.kind === 'misconfigured') throw failure
        negotiatedAway.push(`search by meaning, temporarily: ${failure.message}`)
        return undefined
      })
      return {
        dialect: 'postgres',
        batch: true,
        scope: true,
        supersedes: true,
        delete: true,
        provenance: true,
        semantic: space !== undefined,
        idempotent: 'by-id',
        negotiatedAway,
      }
    })
  }

  put(batch: Delivery[]): Promise<Outcome[]> {
    return this.#eachOrAll(batch, async (part) => {
      const thoughts = part.flatMap(({ thought }) => (thought === undefined ? [] : [thought]))
      const stored = await this.#insert(thoughts)
      await this.#embed(thoughts.filter(({ id }) => stored.has(id)))
      await this.#announce([...stored])
      return part.map(({ key }) => ({ key, kind: 'delivered' as const }))
    })
  }

  async remove(batch: Delivery[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    for (const group of byProjects(batch))
      outcomes.push(...(await this.#eachOrAll(group, (part) => this.#forget(part))))
    return outcomes
  }

  async #forget(part: Delivery[]): Promise<Outcome[]> {
    const ids = part.flatMap((delivery) => delivery.ids)
    await this.#prepare()
    const { rows: others } = await this.#query(sql.OF_OTHERS, [ids, part[0]?.projects ?? []])
    const [other] = others as { id: string; project: string }[]
    if (other !== undefined) throw new StoreFailure('rejected', otherProject(other.id, other.project))
    const gone = idsOf((await this.#query(sql.FORGET, [ids])).rows)
    const { rows } = await this.#query(`select id from ${SCHEMA}.spaces`)
    for (const { id } of this.#vector === undefined ? [] : rows) {
      await this.#query(sql.deleteVectors(`${SCHEMA}.vectors_${Number(id)}`), [[...ids, ...gone]])
    }
    return part.map(({ key }) => ({ key, kind: 'gone' as const }))
  }

  search(query: ThoughtQuery): Promise<StoreAnswer> {
    return this.#guarded(async () => {
      await this.#prepare()
      const { vector, remark } = await this.#vectorOf(query.text)
      const filter = [query.project ?? null, query.type ?? null, query.since ?? null, query.now]
      const depth = Math.max(query.limit * DEPTH, DEPTH_MIN)
      const lexical = await this.#query(sql.LEXICAL, [wellFormed(query.text), ...filter, depth])
      const lists = [idsOf(lexical.rows)]
      if (vector !== undefined) lists.push(await this.#nearest(vector, filter, depth))
      const best = fuseRanks(lists).slice(0, query.limit)
      const thoughts = await this.#hits(best)
      return { thoughts, semantic: vector !== undefined, ...(remark === undefined ? {} : { remark }) }
    })
  }

  count(project?: string): Promise<number> {
    return this.#guarded(async () => {
      await this.#prepare()
      const { rows } = await this.#query(sql.COUNT, [project ?? null])
      return Number(rows[0]?.count ?? 0)
    })
  }

  embedMissing(limit: number): Promise<VectorProgress | undefined> {
    return this.#guarded(async () => {
      await this.#prepare()
      const space = await this.#openSpace()
      if (space === undefined || this.#embedder === undefined) return undefined
      const { model } = this.#embedder
      const refusals = new RefusedTexts(this.place, model)
      const { rows } = await this.#query(sql.withoutVector(space), [limit + refusals.count])
      const all = rows as { id: string; content: string }[]
      // A text that is tried again in the same round would be tried for ever.
      const missing = all.filter(({ id }) => !refusals.isGivenUp(id) && !this.#tried.has(id)).slice(0, limit)
      const vectors = await embedEach(
        this.#embedder,
        missing.map(({ content }) => content),
      )
      const { pairs, refused } = sorted(missing, vectors)
      for (const id of refused.keys()) this.#tried.add(id)
      await this.#insertVectors(space, pairs)
      refusals.note(
        refused,
        pairs.map(({ id }) => id),
      )
      return { ...(await this.#vectorState(space, model)), made: pairs.length, tried: missing.length }
    })
  }

  vectors(): Promise<VectorState | undefined> {
    return this.#guarded(async () => {
      await this.#prepare()
      const space = await this.#openSpace()
      return space === undefined || this.#embedder === undefined
        ? undefined
        : this.#vectorState(space, this.#embedder.model)
    })
  }

  async #vectorState(space: Space, model: string): Promise<VectorState> {
    const { rows } = await this.#query(sql.vectorCounts(space))
    const [done, total] = [Number(rows[0]?.done), Number(rows[0]?.total)]
    return { model, done, total, refused: Math.min(new RefusedTexts(this.place, model).count, total - done) }
  }

  async #insertVectors(space: Space, pairs: { id: string; vector: Float32Array }[]): Promise<void> {
    if (pairs.length === 0) return
    const values = [pairs.map(({ id }) => id), pairs.map(({ vector }) => vectorText(vector))]
    await this.#query(sql.insertVectors(space), values)
  }

  async listen(onThought: (thought: StoredThought) => void): Promise<() => Promise<void>> {
    await this.#guarded(() => this.#prepare())
    return this.#guarded(() => listenTo(this.#connection, this.#self, onThought))
  }

  async close(): Promise<void> {
    const pool = this.#pool
    this.#pool = undefined
    this.#embedder?.close?.()
    await pool?.end().catch(() => undefined)
  }

  #open(): Pool {
    if (this.#pool === undefined) {
      this.#pool = new pg.Pool(this.#connection)
      // An idle connection that breaks is replaced at the next use.
      this.#pool.on('error', () => undefined)
      // One that breaks in use rejects the pending query; an unhandled `error` event
      // would end the process.
      this.#pool.on('connect', (client) => void client.on('error', () => undefined))
    }
    return this.#pool
  }

  async #query(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
    return this.#open().query(text, values)
  }

  async #withSession<T>(work: (session: PoolClient) => Promise<T>): Promise<T> {
    const session = await this.#open().connect()
    let failure: Error | undefined
    try {
      return await work(session)
    } catch (error) {
      failure = error as Error
      throw error
    } finally {
      session.release(failure)
    }
  }

  /** Migrates once for each open store; a database that was emptied meanwhile is set up again after the next failure. */
  async #prepare(): Promise<void> {
    if (this.#isReady) return
    await this.#despitePooler(() => this.#setUp())
    this.#hasAnswered = true
    this.#isReady = true
  }

  /** A pooler passes on no parameter that it does not know. Then only our own limits count. */
  async #despitePooler<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!isRefusedByPooler(error) || this.#connection.statement_timeout === undefined) throw error
      delete this.#connection.statement_timeout
      await this.#pool?.end().catch(() => undefined)
      this.#pool = undefined
      return work()
    }
  }

  #setUp(): Promise<void> {
    return this.#withSession(async (session) => {
      await migrate(session)
      const vector = await vectorVersion(session)
      this.#vector = typeof vector === 'string' ? undefined : vector
      this.#vectorMissing = typeof vector === 'string' ? vector : undefined
    })
  }

  async #openSpace(): Promise<Space | undefined> {
    const embedder = this.#embedder
    if (embedder === undefined || this.#vector === undefined) return undefined
    if (this.#space === undefined) {
      const dimensions = await embedder.dimensions()
      this.#space = await this.#withSession((session) => openSpace(session, embedder.model, dimensions))
    }
    return this.#space
  }

  async #insert(thoughts: StoredThought[]): Promise<Set<string>> {
    await this.#prepare()
    const given = thoughts.map(rowOf)
    const { rows } = await this.#query(sql.INSERT, [JSON.stringify(given), this.#self])
    const stored = new Set(idsOf(rows))
    const known = given.filter(({ id, expires_at: expires }) => expires !== null && !stored.has(String(id)))
    if (known.length > 0) await this.#query(sql.PROLONG, [JSON.stringify(known)])
    return stored
  }

  /** A thought without a vector is found by its words; `embedMissing` makes up for it when the embedder is back. */
  async #embed(thoughts: { id: string; content: string }[]): Promise<void> {
    if (thoughts.length === 0 || this.#embedder === undefined) return
    let vectors: (Float32Array | StoreFailure)[]
    let space: Space | undefined
    try {
      space = await this.#openSpace()
      if (space === undefined) return
      vectors = await embedEach(
        this.#embedder,
        thoughts.map(({ content }) => content),
      )
    } catch (error) {
      const failure = databaseFailure(error, this.place)
      if (failure.kind === 'misconfigured') throw failure
      return
    }
    await this.#insertVectors(space, sorted(thoughts, vectors).pairs)
  }

  async #vectorOf(text: string): Promise<{ vector?: string; remark?: string }> {
    try {
      if ((await this.#openSpace()) === undefined) return {}
      const [vector] = (await this.#embedder?.embed([text])) ?? []
      return vector === undefined ? {} : { vector: vectorText(vector) }
    } catch (error) {
      return { remark: databaseFailure(error, this.place).message }
    }
  }

  /** A filter may leave little of what an approximate index finds first; newer versions go on looking. */
  async #nearest(vector: string, filter: unknown[], depth: number): Promise<string[]> {
    const space = this.#space
    if (space === undefined) return []
    const [major, minor] = this.#vector ?? [0, 0]
    return this.#withSession(async (session) => {
      await session.query('begin')
      await session.query(`set local hnsw.ef_search = ${Math.min(Math.max(depth, 100), 1000)}`)
      if (major > 0 || minor >= 8) await session.query("set local hnsw.iterative_scan = 'strict_order'")
      const { rows } = await session.query(sql.nearest(space), [vector, ...filter, depth])
      await session.query('commit')
      return idsOf(rows)
    })
  }

  async #hits(best: { id: string; score: number }[]): Promise<ThoughtHit[]> {
    const { rows } = await this.#query(sql.FETCH, [best.map(({ id }) => id)])
    const byId = new Map((rows as Row[]).map((row) => [row.id, row]))
    return best.flatMap(({ id, score }) => {
      const row = byId.get(id)
      return row === undefined ? [] : [hitOf(row, score)]
    })
  }

  /** Notifies the other machines of new thoughts. A failed notification must not undo the delivery. */
  async #announce(ids: string[]): Promise<void> {
    for (let rest = ids; rest.length > 0; ) {
      const part: string[] = []
      let bytes = 0
      while (rest.length > part.length && bytes < NOTICE_IDS_BYTES - 1000) {
        const id = rest[part.length] ?? ''
        bytes += Buffer.byteLength(id) + 3
        part.push(id)
      }
      rest = rest.slice(part.length)
      const notice = JSON.stringify({ from: this.#self, ids: part })
      await this.#query('select pg_notify($1, $2)', [CHANNEL, notice]).catch(() => undefined)
    }
  }

  #eachOrAll(batch: Delivery[], work: (part: Delivery[]) => Promise<Outcome[]>): Promise<Outcome[]> {
    return eachOrAll(batch, (part) => this.#guarded(() => work(part)))
  }

  /** Something that never answered as a database may be none. */
  async #explained(failure: StoreFailure): Promise<StoreFailure> {
    if (this.#hasAnswered || failure.kind !== 'busy' || failure.isAway) return failure
    if (!(await isOtherService(this.#connection))) return failure
    return new StoreFailure(
      'misconfigured',
      `${this.place} is not a PostgreSQL server: check host and port in openbrain.url`,
    )
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const failure = await this.#explained(databaseFailure(error, this.place))
      if (failure.kind !== 'rejected') {
        this.#isReady = false
        this.#space = undefined
      }
      throw failure
    }
  }
}

function isRefusedByPooler(error: unknown): boolean {
  return error instanceof Error && /unsupported startup parameter/i.test(error.message)
}

function idsOf(rows: unknown[]): string[] {
  return (rows as { id: string }[]).map(({ id }) => id)
}
