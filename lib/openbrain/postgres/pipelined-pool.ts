// Pipelined connections for statements that only read: several statements are under way on one connection, so that the number of
// connections does not grow with the number of searches, and a distant server costs each search one round trip.
import pg, { type QueryConfig, type QueryResult } from 'pg'
import { hasCode, messageOf, rootCodeOf } from '../../shared/problem.js'

const CONNECTIONS_MAX = 4
/** How long an unused connection stays open. */
const IDLE_MS = 60_000
/** SQLSTATEs that mean a prepared statement is unknown, defined by another client, or outdated. */
const NOT_PREPARED = ['26000', '42P05', '0A000', '08P01']
/**
 * For prepared statements. Planning a search takes more than half as long as running it, and the plan does not depend on its values; nor does
 * compiling it pay off. A server before PostgreSQL 12 refuses this, and plans each time.
 */
const PLAN_ONCE = "select set_config('plan_cache_mode', 'force_generic_plan', false), set_config('jit', 'off', false)"

/** The members that the driver's type declarations leave out. */
type Client = pg.Client & { ref(): void; unref(): void; processID: number | null }

interface PooledConnection {
  client: Client
  ready: Promise<void>
  inFlight: number
  /** How many of them are searches. */
  searches: number
  /** True when it has answered before, so that a failure may be that of a connection which broke while it was idle. */
  hasAnswered: boolean
  /** True when its prepared statements are planned once. */
  plansOnce: boolean
  idle: NodeJS.Timeout | undefined
}

interface Answered {
  result: QueryResult
  /** The process that the server named when the connection was made. */
  pid: number
}

/** A few connections that are shared by all searches of a process. They keep no process alive while they are idle. */
export class PipelinedPool {
  readonly #config: pg.ClientConfig
  readonly #connections = new Set<PooledConnection>()
  /** False behind a pooler that hands each statement to another server connection. */
  #mayPrepare = false

  constructor(config: pg.ClientConfig) {
    this.#config = config
  }

  /** Prepared statements need a connection that belongs to this client alone. */
  set mayPrepare(value: boolean) {
    this.#mayPrepare = value
  }

  get mayPrepare(): boolean {
    return this.#mayPrepare
  }

  /**
   * Runs a statement that only reads. A connection that broke while it was idle is replaced once, and a statement that the server
   * does not know by its name is sent in full.
   */
  async query(config: QueryConfig): Promise<QueryResult> {
    return (await this.#ask(config, 1)).result
  }

  /** Runs a statement beside searches, for which no connection is made, and returns the process that the server named as well. */
  withProcess(config: QueryConfig): Promise<Answered> {
    return this.#ask(config, 0)
  }

  async #ask(config: QueryConfig, searches: number): Promise<Answered> {
    const { name: _name, ...unnamed } = config
    const connection = this.#connection()
    const wasUsed = connection.hasAnswered
    try {
      return await this.#run(connection, this.#mayPrepare ? config : unnamed, searches)
    } catch (error) {
      const isForgotten = this.#mayPrepare && config.name !== undefined && hasCode(error, ...NOT_PREPARED)
      if (isForgotten) this.#mayPrepare = false
      else if (!wasUsed || !isBroken(error)) throw error
      else this.#drop(connection)
      return this.#run(this.#connection(), unnamed, searches)
    }
  }

  async close(): Promise<void> {
    const connections = [...this.#connections]
    this.#connections.clear()
    await Promise.all(
      connections.map(({ client, idle }) => {
        clearTimeout(idle)
        client.ref()
        return client.end().catch(() => undefined)
      }),
    )
  }

  /** Opens connections for as many searches, as far as allowed, before their statements are known. */
  open(searches: number): void {
    while (this.#connections.size < Math.min(searches, CONNECTIONS_MAX)) this.#open()
  }

  /** The least busy connection, or a new one while all are busy and more are allowed. */
  #connection(): PooledConnection {
    const free = [...this.#connections].sort((a, b) => a.searches - b.searches || a.inFlight - b.inFlight)[0]
    if (free !== undefined && (free.searches === 0 || this.#connections.size >= CONNECTIONS_MAX)) return free
    return this.#open()
  }

  #open(): PooledConnection {
    const client = new pg.Client({ ...this.#config, pipeline: true }) as Client
    const connection: PooledConnection = {
      client,
      ready: connected(client),
      inFlight: 0,
      searches: 0,
      hasAnswered: false,
      plansOnce: false,
      idle: undefined,
    }
    connection.ready.then(
      () => connection.inFlight === 0 && this.#rest(connection),
      () => this.#drop(connection),
    )
    client.on('error', () => this.#drop(connection))
    client.on('end', () => this.#drop(connection))
    this.#connections.add(connection)
    return connection
  }

  async #run(connection: PooledConnection, config: QueryConfig, searches: number): Promise<Answered> {
    clearTimeout(connection.idle)
    connection.inFlight += 1
    connection.searches += searches
    try {
      await connection.ready
      connection.client.ref()
      // On a connection of our own alone, and on the way before the statement.
      if (config.name !== undefined && !connection.plansOnce) {
        connection.plansOnce = true
        connection.client.query(PLAN_ONCE).catch(() => undefined)
      }
      const result = await connection.client.query(config)
      connection.hasAnswered = true
      return { result, pid: connection.client.processID ?? 0 }
    } finally {
      connection.inFlight -= 1
      connection.searches -= searches
      if (connection.inFlight === 0) this.#rest(connection)
    }
  }

  #rest(connection: PooledConnection): void {
    if (!this.#connections.has(connection)) return
    connection.client.unref()
    connection.idle = setTimeout(() => this.#drop(connection), IDLE_MS)
    connection.idle.unref()
  }

  #drop(connection: PooledConnection): void {
    if (!this.#connections.delete(connection)) return
    clearTimeout(connection.idle)
    connection.client.end().catch(() => undefined)
  }
}

async function connected(client: Client): Promise<void> {
  await client.connect()
}

/** True if the connection failed, and not the statement. */
function isBroken(error: unknown): boolean {
  const code = rootCodeOf(error)
  if (code !== undefined && /^[0-9A-Z]{5}$/.test(code)) return /^(08|57P0|E)/.test(code)
  return !/timeout/i.test(messageOf(error))
}
