// Several servers of one database: a primary, which takes what is written, and replicas, which answer searches. Which is which is asked
// when a server fails or was demoted, so that a fail-over needs no change of settings (as `target_session_attrs` of libpq does).
import pg from 'pg'
import type { Endpoint } from '../settings.js'
import { tlsOf } from './connection.js'

/** How long a server may take to say what it is. */
const ASK_MS = 2000

/** What a server is; all others than the address are absent when it does not answer. */
export interface ServerState extends Endpoint {
  isReplica?: boolean
  /** Whether a replica receives what the primary writes. */
  isFollowing?: boolean
  /** How old what a replica has not applied yet is. */
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
  #asked: Promise<void> | undefined

  constructor(connection: pg.PoolConfig, url: URL, endpoints: Endpoint[]) {
    this.#url = url
    this.#endpoints = endpoints
    this.writes = connection
    this.reads = endpoints.length > 1 ? { ...connection } : connection
    const [, replica] = endpoints
    if (replica !== undefined) this.#lead(this.reads, replica)
  }

  get areSeveral(): boolean {
    return this.#endpoints.length > 1
  }

  /** Asks every server what it is; true when something has changed. */
  async choose(): Promise<boolean> {
    if (!this.areSeveral) return false
    const before = this.#summary()
    this.#asked ??= this.#ask().finally(() => {
      this.#asked = undefined
    })
    await this.#asked
    return this.#summary() !== before
  }

  /** Asks every server what it is. */
  states(): Promise<ServerState[]> {
    return Promise.all(this.#endpoints.map((endpoint) => this.#stateOf(endpoint)))
  }

  async #ask(): Promise<void> {
    const states = await this.states()
    const primary = states.find(({ isReplica }) => isReplica === false)
    const replica = states.find(({ isReplica }) => isReplica === true)
    if (primary !== undefined) this.#lead(this.writes, primary)
    const reader = replica ?? primary
    if (reader !== undefined) this.#lead(this.reads, reader)
  }

  async #stateOf(endpoint: Endpoint): Promise<ServerState> {
    const config = { ...this.writes, connectionTimeoutMillis: ASK_MS, query_timeout: ASK_MS }
    this.#lead(config, endpoint)
    const client = new pg.Client(config)
    client.on('error', () => undefined)
    try {
      await client.connect()
      const { rows } = await client.query(STATE)
      const { is_replica: isReplica, is_following: isFollowing, behind: behindSeconds } = rows[0]
      return { ...endpoint, isReplica, isFollowing, behindSeconds }
    } catch {
      return endpoint
    } finally {
      client.end().catch(() => undefined)
    }
  }

  #lead(config: pg.PoolConfig, { host, port }: Endpoint): void {
    Object.assign(config, { host, port, ssl: tlsOf(this.#url, host) })
  }

  #summary(): string {
    return [this.reads, this.writes].map(({ host, port }) => `${host}:${port}`).join(' ')
  }
}
