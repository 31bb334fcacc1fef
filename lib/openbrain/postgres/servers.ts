// Several servers of one database: a primary, which takes what is written, and replicas, which answer searches. Which is which is asked
// when a server fails or was demoted, so that a fail-over needs no change of settings (as `target_session_attrs` of libpq does).
import pg from 'pg'
import type { Endpoint } from '../settings.js'
import { tlsOf } from './connection.js'

/** How long a server may take to say what it is. */
const ASK_MS = 2000

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

  async #ask(): Promise<void> {
    const answers = await Promise.all(this.#endpoints.map((endpoint) => this.#isReplica(endpoint)))
    const primary = this.#endpoints.find((_, at) => answers[at] === false)
    const replica = this.#endpoints.find((_, at) => answers[at] === true)
    if (primary !== undefined) this.#lead(this.writes, primary)
    const reader = replica ?? primary
    if (reader !== undefined) this.#lead(this.reads, reader)
  }

  /** Undefined for a server that does not answer. */
  async #isReplica(endpoint: Endpoint): Promise<boolean | undefined> {
    const config = { ...this.writes, connectionTimeoutMillis: ASK_MS, query_timeout: ASK_MS }
    this.#lead(config, endpoint)
    const client = new pg.Client(config)
    client.on('error', () => undefined)
    try {
      await client.connect()
      const { rows } = await client.query('select pg_is_in_recovery() as it')
      return rows[0]?.it === true
    } catch {
      return undefined
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
