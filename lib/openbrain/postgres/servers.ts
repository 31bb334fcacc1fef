// Several servers of one database: a primary, which takes writes, and replicas, which answer searches. All are asked for their roles at once
// before the first call, beside later ones, and when a server fails or was demoted, so that a fail-over needs no change of settings (as
// `target_session_attrs` of libpq does).
import pg from 'pg'
import { StoreFailure } from '../failure.js'
import type { Endpoint } from '../settings.js'
import { tlsOf } from './connection.js'

/** How long a server may take to tell its role. */
const ASK_MS = 2000
/** How long the others are waited for once the primary has said so. */
const GRACE_MS = 500
/** How long their answers hold. */
const FRESH_MS = 2000

/** The role of a server; all fields but the address are absent when it does not answer. */
export interface ServerState extends Endpoint {
  isReplica?: boolean
  /** True if a replica receives the writes of the primary. */
  isFollowing?: boolean
  /** The age of the last transaction that a replica has applied; 0 when it has applied all. */
  behindSeconds?: number
}

const STATE = `select pg_is_in_recovery() as is_replica, exists (select 1 from pg_stat_wal_receiver) as is_following,
  case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
    else coalesce(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()), 0) end::float8 as behind`

/** The connections of both kinds; they are changed in place, and take effect when a connection is opened. */
export class Servers {
  readonly reads: pg.PoolConfig
  readonly writes: pg.PoolConfig
  readonly #endpoints: Endpoint[]
  readonly #url: URL
  readonly #asking = new Set<pg.Client>()
  #known: ServerState[] = []
  #askedAt = 0
  #asked: Promise<void> | undefined

  constructor(connection: pg.PoolConfig, url: URL, endpoints: Endpoint[]) {
    this.#url = url
    this.#endpoints = endpoints
    this.writes = connection
    this.reads = endpoints.length > 1 ? { ...connection } : connection
  }

  get areSeveral(): boolean {
    return this.#endpoints.length > 1
  }

  /** False when every server that answered is a replica. */
  get hasPrimary(): boolean {
    return this.#primaries.length > 0 || this.#known.every(({ isReplica }) => isReplica === undefined)
  }

  get #primaries(): ServerState[] {
    return this.#known.filter(({ isReplica }) => isReplica === false)
  }

  /**
   * Makes sure that the role of every server is known before a call; true when the connections lead elsewhere than before. A search does not
   * wait when the roles are asked for again.
   */
  async settle(writes = false): Promise<boolean> {
    if (!this.areSeveral) return false
    const isDecided = this.#primaries.length === 1
    if (Date.now() - this.#askedAt > FRESH_MS) {
      const asked = this.#ask()
      if (writes || !isDecided) await asked
    }
    return this.#lead()
  }

  /** Asks every server again, after a failure. */
  async choose(): Promise<boolean> {
    if (!this.areSeveral) return false
    await this.#ask()
    return this.#lead()
  }

  /** Throws when two servers say that they are the primary: each lacks the writes of the other. */
  refuseTwoPrimaries(place: string): void {
    if (this.#primaries.length < 2) return
    const names = this.#primaries.map(({ host, port }) => `${host}:${port}`).join(' and ')
    const remedy = 'stop the one that was replaced, or let it follow the other'
    throw new StoreFailure('busy', `${place}: ${names} both say that they are the primary: ${remedy}`, { isAway: true })
  }

  states(): Promise<ServerState[]> {
    return Promise.all(this.#endpoints.map((endpoint) => this.#stateOf(endpoint)))
  }

  /** Ends questions that still wait for an answer. */
  close(): void {
    for (const client of this.#asking) destroy(client)
  }

  #ask(): Promise<void> {
    this.#asked ??= this.#askAll().finally(() => {
      this.#asked = undefined
    })
    return this.#asked
  }

  /** Whoever answers later than the primary and its grace is noted when it does. */
  async #askAll(): Promise<void> {
    const known: ServerState[] = [...this.#endpoints]
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      const answers = this.#endpoints.map(async (endpoint, at) => {
        const state = await this.#stateOf(endpoint)
        known[at] = state
        if (state.isReplica === false) timer ??= setTimeout(resolve, GRACE_MS)
      })
      void Promise.all(answers).then(() => resolve())
    })
    clearTimeout(timer)
    this.#known = known
    this.#askedAt = Date.now()
  }

  async #stateOf(endpoint: Endpoint): Promise<ServerState> {
    const { host, port } = endpoint
    const there = { host, port, ssl: tlsOf(this.#url, host) }
    const client = new pg.Client({ ...this.writes, ...there, connectionTimeoutMillis: ASK_MS, query_timeout: ASK_MS })
    client.on('error', () => undefined)
    this.#asking.add(client)
    try {
      await client.connect()
      const { rows } = await client.query(STATE)
      const { is_replica: isReplica, is_following: isFollowing, behind: behindSeconds } = rows[0]
      return { ...endpoint, isReplica, isFollowing, behindSeconds }
    } catch {
      return endpoint
    } finally {
      this.#asking.delete(client)
      client.end().catch(() => undefined)
    }
  }

  /** Leads the connections to the servers that are known: deliveries to the primary, searches to a replica that follows it. */
  #lead(): boolean {
    const [primary] = this.#primaries
    const replicas = this.#known.filter(({ isReplica }) => isReplica === true)
    const reader = replicas.find(({ isFollowing }) => isFollowing) ?? primary ?? replicas[0]
    const ways: [config: pg.PoolConfig, server: ServerState | undefined][] = [
      [this.writes, primary],
      [this.reads, reader],
    ]
    let isElsewhere = false
    for (const [config, server] of ways) {
      if (server === undefined || (config.host === server.host && config.port === server.port)) continue
      Object.assign(config, { host: server.host, port: server.port, ssl: tlsOf(this.#url, server.host) })
      isElsewhere = true
    }
    return isElsewhere
  }
}

/** A connection that is still being made cannot be ended by itself. */
function destroy(client: pg.Client): void {
  const { connection } = client as pg.Client & { connection?: { stream?: { destroy(): void } } }
  connection?.stream?.destroy()
}
