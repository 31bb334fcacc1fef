import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { byProjects, eachOrAll, otherProject } from '../batch.js'
import type { Embedder } from '../embedder/embedder.js'
import { StoreFailure } from '../failure.js'
import { endpointsOf, placeOf, type StoreTarget } from '../settings.js'
import type {
  Capabilities,
  ChangeFeed,
  ConditionalAnswer,
  Decisions,
  Delivery,
  Finding,
  ForgottenThought,
  Indexing,
  KeptThought,
  NewestThoughts,
  Outcome,
  Retention,
  RetentionReport,
  StoreAnswer,
  StoredThought,
  ThoughtQuery,
  ThoughtStore,
  VectorProgress,
  VectorState,
  Wanted,
} from '../store.js'
import { checkDatabase, checkServers } from './check.js'
import { connectionOf } from './connection.js'
import { Database } from './database.js'
import { databaseFailure } from './database-failure.js'
import { decisionsSince } from './decisions.js'
import { type Follower, followChanges } from './listener.js'
import { newestThoughts } from './newest.js'
import { isOtherService } from './probe.js'
import { type OpenEmbedder, Reader } from './reader.js'
import { retain } from './retention.js'
import {
  type ContradictionRow,
  contradictionLines,
  floatArray,
  isSound,
  type KeptRow,
  keptOf,
  rowOf,
  rulingOf,
} from './rows.js'
import { SCHEMA, setUpTables, vectorVersion } from './schema.js'
import { Servers } from './servers.js'
import * as sql from './sql.js'
import { refuseOther, type Survey, survey, vectorProblem } from './survey.js'
import { type Pair, Vectors } from './vectors.js'

const NO_PRIMARY = 'none of its servers takes deliveries now: they wait until one is promoted or started'
const REPLICA =
  'this server is a read-only replica: searches work, and deliveries need the address of the primary server'
const READ_ONLY =
  'this user may only read: searches work, and deliveries wait in the queue until an owner grants the role of writers, which forge-memory store check names'
const POLLED = 'the pooler does not forward them; changes of others are polled, and arrive within a second'
const WRONG_PASSWORD = '28P01'
const HINT_OF_PASSWORD = ': set the right password in'

export interface PostgresOptions {
  /** How many candidates the vector index examines; as it was measured, when absent. */
  efSearch?: number | undefined
  /** Who uses the embedder, the same for every process of a project; a name of this store when absent. */
  client?: string
  /** Names the person whose captures these are, for those that name nobody. */
  person?: () => Promise<string>
  /** Opens the embedder of another model, whose vectors answer until those of this one are complete. */
  embedderOf?: OpenEmbedder
  /** How many vectors a part of an index has at most; as many as fit into the memory of its build, when absent. */
  partMax?: number | undefined
}

export class PostgresStore implements ThoughtStore {
  readonly backend = 'postgres'
  readonly place: string
  readonly batchMax = 500
  /** Identifies our own notifications. */
  readonly #self: string = randomUUID()
  readonly #connection: pg.PoolConfig
  readonly #servers: Servers
  readonly #passwordIn: string
  readonly #client: string
  readonly #embedder: Embedder | undefined
  readonly #reader: Reader
  readonly #database: Database
  readonly #person: () => Promise<string>
  /** Absent without an embedder. */
  readonly #vectors: Vectors | undefined
  /** Why there is no vector search. */
  #vectorMissing: string | undefined
  #follower: Follower | undefined
  #isReady = false
  #hasAnswered = false

  constructor(
    target: Extract<StoreTarget, { backend: 'postgres' }>,
    embedder: Embedder | undefined,
    timeoutMs = 10_000,
    { efSearch, client, person = async () => '', embedderOf, partMax }: PostgresOptions = {},
  ) {
    let named: Promise<string> | undefined
    this.#person = () => {
      named ??= person()
      return named
    }
    this.place = placeOf(target.url)
    this.#client = client ?? this.#self
    this.#passwordIn = target.passwordIn ?? 'the secrets file'
    this.#connection = connectionOf(target.url, target.password, timeoutMs)
    this.#embedder = embedder
    this.#servers = new Servers(this.#connection, target.url, endpointsOf(target.url))
    this.#reader = new Reader(this.#servers.reads, this.place, { embedder, embedderOf, efSearch })
    this.#database = new Database(this.#connection)
    this.#vectors =
      embedder &&
      new Vectors(this.#database, this.#reader, embedder, { place: this.place, client: this.#client, partMax })
  }

  get model(): string | undefined {
    return this.#embedder?.model
  }

  handshake(): Promise<Capabilities> {
    return this.#guarded(async () => {
      await this.#surveySetUp()
      const isWaiting = !this.#servers.hasPrimary
      const barrier = isWaiting ? NO_PRIMARY : barrierOf(await this.#surveyPrimary())
      const negotiatedAway = barrier === undefined ? [] : [`deliveries: ${barrier}`]
      if (barrier === undefined) await this.#prepare()
      if (this.#vectorMissing !== undefined) negotiatedAway.push(`search by meaning: ${this.#vectorMissing}`)
      else if (this.#embedder === undefined) negotiatedAway.push('search by meaning: no embedder is set')
      if (!this.#reader.mayPrepare) negotiatedAway.push(`notifications: ${POLLED}`)
      const isSemantic = await this.#canSearchByMeaning(barrier === undefined).catch((error: unknown) => {
        // A temporary failure of the embedder must not block calls that do not need it; a misconfigured one is
        // reported.
        const failure = databaseFailure(error, this.place)
        if (failure.kind === 'misconfigured') throw failure
        negotiatedAway.push(`search by meaning, temporarily: ${failure.message}`)
        return false
      })
      return {
        dialect: 'postgres',
        batch: true,
        scope: true,
        supersedes: true,
        delete: true,
        provenance: true,
        semantic: isSemantic,
        idempotent: 'by-id',
        negotiatedAway,
        ...(isWaiting ? { isWaiting } : {}),
      }
    })
  }

  put(batch: Delivery[]): Promise<Outcome[]> {
    return this.#eachOrAll(batch, async (part) => {
      await this.#prepare()
      await this.#insert(part)
      return part.map(({ key }) => ({ key, kind: 'delivered' as const }))
    })
  }

  async remove(batch: Delivery[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    for (const group of byProjects(batch))
      outcomes.push(...(await this.#eachOrAll(group, (part) => this.#remove(part))))
    return outcomes
  }

  async #remove(part: Delivery[]): Promise<Outcome[]> {
    const ids = part.flatMap((delivery) => delivery.ids)
    await this.#prepare()
    const { rows: others } = await this.#database.query(sql.OF_OTHERS, [ids, part[0]?.projects ?? []])
    const [other] = others as { id: string; project: string }[]
    if (other !== undefined) throw new StoreFailure('rejected', otherProject(other.id, other.project))
    const gone = idsOf(
      (await this.#database.query(sql.FORGET, [ids, await this.#person(), this.#self, part[0]?.projects[0] ?? '']))
        .rows,
    )
    const { rows } = await this.#database.query(`select id from ${SCHEMA}.spaces`)
    for (const { id } of this.#vectorMissing === undefined ? rows : []) {
      await this.#database.query(sql.deleteVectors(`${SCHEMA}.vectors_${Number(id)}`), [[...ids, ...gone]])
    }
    return part.map(({ key }) => ({ key, kind: 'gone' as const }))
  }

  rule(batch: Delivery[]): Promise<Outcome[]> {
    return this.#eachOrAll(batch, async (part) => {
      await this.#prepare()
      await this.#database.query(sql.RULE, [JSON.stringify(part.map(rulingOf)), await this.#person(), this.#client])
      return part.map(({ key }) => ({ key, kind: 'delivered' as const }))
    })
  }

  async search(query: ThoughtQuery): Promise<StoreAnswer> {
    const { answer } = await this.searchUnless(query, query.project === undefined ? undefined : [query.project])
    return answer ?? { thoughts: [], semantic: false }
  }

  searchUnless(query: ThoughtQuery, projects: string[] | undefined, known?: string): Promise<ConditionalAnswer> {
    return this.#guarded(async () => {
      const embedded = await this.#reader.begin(query.text)
      const search = () => this.#reader.search({ query, projects, known, embedded })
      const answer = await search()
      this.#hasAnswered = true
      if (answer !== undefined) return answer
      // A database that was never set up is set up.
      await this.#prepare()
      return (await search()) ?? { state: undefined, answer: { thoughts: [], semantic: false } }
    })
  }

  read(wanted: Wanted): Promise<KeptThought[]> {
    return this.#guarded(async () => {
      const { version } = await this.#reader.survey()
      this.#hasAnswered = true
      if (version === 0) return []
      const { ids = null, projects, after = '', limit, createdBy = null } = wanted
      const { rows } = await this.#reader.query(sql.keptThoughts(ids !== null), [
        ids,
        projects,
        after,
        limit,
        createdBy,
      ])
      return (rows as KeptRow[]).filter(isSound).map(keptOf)
    })
  }

  contradictions(projects: string[]): Promise<string[]> {
    return this.#guarded(async () => {
      if ((await this.#reader.survey()).version === 0) return []
      const { rows } = await this.#reader.query(sql.CONTRADICTIONS, [projects])
      return contradictionLines(rows as ContradictionRow[])
    })
  }

  decisions(projects: string[], since: string | undefined): Promise<Decisions> {
    return this.#guarded(async () => {
      const { version } = await this.#reader.survey()
      if (version === 0) return { lines: [], upto: since ?? '', isMore: false }
      return decisionsSince((text, values) => this.#reader.query(text, values), projects, since)
    })
  }

  newest(projects: string[], limit: number, known?: string): Promise<NewestThoughts> {
    return this.#guarded(async () => {
      const { version } = await this.#reader.survey()
      this.#hasAnswered = true
      if (version === 0) return { state: undefined }
      return newestThoughts((text, values) => this.#reader.query(text, values), projects, limit, known)
    })
  }

  count(project?: string): Promise<number> {
    return this.#guarded(async () => {
      await this.#surveySetUp()
      const { rows } = await this.#reader.query(sql.COUNT, [project ?? null])
      return Number(rows[0]?.count ?? 0)
    })
  }

  projects(): Promise<string[]> {
    return this.#guarded(async () => {
      await this.#surveySetUp()
      const { rows } = await this.#reader.query(sql.PROJECTS)
      return rows.map(({ project }) => String(project))
    })
  }

  embedMissing(limit: number, onIndexing?: (indexing: Indexing) => void): Promise<VectorProgress | undefined> {
    return this.#guarded(async () => {
      await this.#prepare()
      return this.#vectorMissing === undefined ? this.#vectors?.embedMissing(limit, onIndexing) : undefined
    })
  }

  vectors(): Promise<VectorState | undefined> {
    return this.#guarded(
      async () => {
        await this.#surveySetUp()
        return this.#vectorMissing === undefined ? this.#vectors?.state() : undefined
      },
      { mayBeTwo: true },
    )
  }

  check(): Promise<Finding[]> {
    return this.#guarded(
      async () => {
        if (!this.#servers.areSeveral) return checkDatabase(this.#anyTables())
        const states = await this.#servers.states()
        // Which tells whether there is a pooler between.
        await this.#reader.surveyAny()
        const tested = {
          mayPrepare: this.#reader.mayPrepare,
          survey: () => survey((text) => this.#database.query(text)),
          query: (text: string) => this.#database.query(text),
        }
        const hasPrimary = states.some(({ isReplica }) => isReplica === false)
        return [...(await checkDatabase(hasPrimary ? tested : this.#anyTables())), ...checkServers(states)]
      },
      { mayBeTwo: true },
    )
  }

  retain(
    retention: Retention,
    isDry: boolean,
    onProgress?: (report: RetentionReport) => void,
  ): Promise<RetentionReport> {
    return this.#guarded(async () => {
      await (isDry ? this.#surveySetUp() : this.#prepare())
      return retain(this.#database, retention, isDry, onProgress)
    })
  }

  async listen(
    onThought: (thought: StoredThought) => void,
    onForgotten: (thought: ForgottenThought) => void = () => undefined,
    projects?: string[],
  ): Promise<() => Promise<void>> {
    await this.#guarded(() => this.#surveySetUp())
    const listener = { onThought, onForgotten, projects, onLost: () => this.#reconnect(this.#servers.choose()) }
    const follower = await this.#guarded(() => followChanges(this.#connection, this.#self, listener))
    this.#follower = follower
    return () => follower.close()
  }

  get feed(): ChangeFeed | undefined {
    return this.#follower?.feed
  }

  async close(): Promise<void> {
    this.#embedder?.close?.()
    this.#reader.closeEmbedders()
    this.#servers.close()
    await Promise.all([this.#database.close(), this.#reader.close()])
  }

  /** Surveys the database for a call that only reads. One that was never set up is set up. */
  async #surveySetUp(): Promise<Survey> {
    const found = await this.#reader.survey()
    this.#hasAnswered = true
    if (found.version > 0) {
      this.#vectorMissing ??= vectorProblem(found.vector)
      return found
    }
    await this.#prepare()
    return this.#reader.survey()
  }

  /**
   * Makes the database ready for writing, once per open store, and again after a failure, because the database may have been
   * emptied. Without a migration, nothing is locked.
   */
  async #prepare(): Promise<void> {
    if (this.#isReady) return
    if (!this.#servers.hasPrimary) throw new StoreFailure('busy', `${this.place}: ${NO_PRIMARY}`, { isAway: true })
    const found = await this.#surveyPrimary()
    this.#hasAnswered = true
    const barrier = barrierOf(found)
    if (barrier !== undefined) throw new StoreFailure('misconfigured', `${this.place}: ${barrier}`)
    if (found.version === 0 || found.vector === undefined) await this.#setUp(found)
    else this.#vectorMissing = vectorProblem(found.vector)
    this.#isReady = true
  }

  /** Surveys the server that takes deliveries. */
  #surveyPrimary(): Promise<Survey> {
    if (!this.#servers.areSeveral) return this.#reader.survey()
    return survey((text) => this.#database.query(text)).then((found) => refuseOther(found, this.place))
  }

  /** What a check looks at, of whatever version. */
  #anyTables() {
    const reader = this.#reader
    return {
      get mayPrepare() {
        return reader.mayPrepare
      },
      survey: () => reader.surveyAny(),
      query: (text: string) => reader.query(text),
    }
  }

  /** Closes the connections when the roles of the servers, once they are known, lead elsewhere. */
  async #reconnect(asked: Promise<boolean>): Promise<boolean> {
    if (!(await asked)) return false
    this.#forget()
    await Promise.all([this.#database.close(), this.#reader.close()])
    return true
  }

  /** Drops the facts about the database, to read them again. */
  #forget(): void {
    this.#isReady = false
    this.#vectorMissing = undefined
    this.#vectors?.forget()
    this.#reader.forget()
  }

  async #setUp({ version }: Survey): Promise<void> {
    if (version === 0) await this.#database.withSession(setUpTables)
    await this.#database.withSession(async (session) => {
      const vector = await vectorVersion(session)
      this.#vectorMissing = typeof vector === 'string' ? vector : vectorProblem(vector)
    })
    this.#reader.forget()
  }

  async #canSearchByMeaning(mayWrite: boolean): Promise<boolean> {
    if (this.#vectors === undefined || this.#vectorMissing !== undefined) return false
    return (await (mayWrite ? this.#vectors.open() : this.#vectors.find())) !== undefined
  }

  /** Stores the thoughts of a batch and, of a small one, their vectors, in one transaction. */
  async #insert(part: Delivery[]): Promise<void> {
    const thoughts = part.flatMap(({ thought }) => (thought === undefined ? [] : [thought]))
    const person = await this.#person()
    const given = thoughts.map((thought) => rowOf(thought, person))
    // One that is confirmed is stored already.
    const fresh = part.flatMap(({ thought, confirmedAt }) => (thought && confirmedAt === undefined ? [thought] : []))
    const embedded = this.#vectorMissing === undefined ? await this.#vectors?.ofBatch(fresh) : undefined
    const values = [JSON.stringify(given), this.#self]
    const insert = () =>
      embedded === undefined || embedded.pairs.length === 0
        ? this.#database.query(sql.INSERT, values)
        : this.#database.query(sql.insertWithVectors(embedded.space), [...values, ...vectorValues(embedded.pairs)])
    const stored = new Set(idsOf((await insert()).rows))
    if (stored.size < fresh.length && (await this.#unplant(part, stored)))
      for (const id of idsOf((await insert()).rows)) stored.add(id)
    if (embedded !== undefined) {
      const ids = new Set(embedded.pairs.flatMap(({ id }) => (stored.has(id) ? [id] : [])))
      const texts = fresh.filter(({ id }) => ids.has(id))
      await this.#vectors?.addPieces(embedded.space, texts)
    }
    const known = given.filter(({ id, expires_at: expires }) => expires !== null && !stored.has(String(id)))
    if (known.length > 0) await this.#database.query(sql.PROLONG, [JSON.stringify(known)])
  }

  /** Ends what forgets thoughts before they came, where another project did that: an id gives no right over whose it is. */
  async #unplant(part: Delivery[], stored: Set<string>): Promise<boolean> {
    const missing = part.filter(({ id, confirmedAt }) => confirmedAt === undefined && !stored.has(id))
    const given = missing.map(({ id, thought, projects }) => ({ id, projects: [thought?.project, ...projects] }))
    const { rows } = await this.#database.query(`select ${SCHEMA}.unplant($1) as count`, [JSON.stringify(given)])
    return Number(rows[0]?.count) > 0
  }

  #eachOrAll(batch: Delivery[], work: (part: Delivery[]) => Promise<Outcome[]>): Promise<Outcome[]> {
    return eachOrAll(batch, (part) => this.#guarded(() => work(part), { writes: true }))
  }

  /** Names the file of a wrong password, and checks whether the service at the address is PostgreSQL at all, when it never answered as one. */
  async #explained(failure: StoreFailure): Promise<StoreFailure> {
    const { status, kind, message } = failure
    if (status === WRONG_PASSWORD && !message.includes(HINT_OF_PASSWORD))
      return new StoreFailure(kind, `${message}${HINT_OF_PASSWORD} ${this.#passwordIn}`, { status })
    if (this.#hasAnswered || failure.kind !== 'busy' || failure.isAway) return failure
    if (!(await isOtherService(this.#connection))) return failure
    return new StoreFailure(
      'misconfigured',
      `${this.place} is not a PostgreSQL server: check host and port in openbrain.url`,
    )
  }

  /** Does the work at the servers that take it, and once more when others have taken over. Each part of it may be repeated. */
  async #guarded<T>(
    work: () => Promise<T>,
    how: { mayBeTwo?: boolean; writes?: boolean } = {},
    isFirst = true,
  ): Promise<T> {
    try {
      await this.#reconnect(this.#servers.settle(how.writes))
      if (!how.mayBeTwo) this.#servers.refuseTwoPrimaries(this.place)
      return await work()
    } catch (error) {
      const failure = await this.#explained(databaseFailure(error, this.place))
      if (failure.kind === 'rejected') throw failure
      this.#forget()
      const hasMoved = failure.kind === 'busy' && (await this.#reconnect(this.#servers.choose()))
      if (hasMoved && isFirst) return this.#guarded(work, how, false)
      throw failure
    }
  }
}

/** Why a database accepts no deliveries, if it does not. */
function barrierOf({ isReplica, mayWrite, version }: Survey): string | undefined {
  if (isReplica) return REPLICA
  return version > 0 && !mayWrite ? READ_ONLY : undefined
}

function vectorValues(pairs: Pair[]): unknown[] {
  return [pairs[0]?.vector.length, pairs.map(({ id }) => id), floatArray(pairs.map(({ vector }) => vector))]
}

function idsOf(rows: unknown[]): string[] {
  return (rows as { id: string }[]).map(({ id }) => id)
}
