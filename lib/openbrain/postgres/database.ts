import pg, { type Pool, type PoolClient, type QueryConfig, type QueryResult } from 'pg'

/** The connections for everything that writes; opened when they are needed. */
export class Database {
  readonly #config: pg.PoolConfig
  #pool: Pool | undefined

  constructor(config: pg.PoolConfig) {
    this.#config = config
  }

  async query(text: string | QueryConfig, values?: unknown[]): Promise<QueryResult> {
    return this.#open().query(text, values)
  }

  /** Runs several statements on one connection. After a failure, the connection is closed. */
  async withSession<T>(work: (session: PoolClient) => Promise<T>): Promise<T> {
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

  async close(): Promise<void> {
    const pool = this.#pool
    this.#pool = undefined
    await pool?.end().catch(() => undefined)
  }

  #open(): Pool {
    if (this.#pool === undefined) {
      this.#pool = new pg.Pool(this.#config)
      // An idle connection that breaks is replaced at the next query.
      this.#pool.on('error', () => undefined)
      // A connection that breaks during a query rejects that query; an unhandled `error` event would end the process.
      this.#pool.on('connect', (client) => void client.on('error', () => undefined))
    }
    return this.#pool
  }
}
