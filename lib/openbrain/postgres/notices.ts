// Change notification between machines by LISTEN/NOTIFY, with catch-up from the table after a lost connection.
import pg from 'pg'
import type { StoredThought } from '../store.js'
import { type Row, thoughtOf } from './rows.js'
import { CHANNEL } from './schema.js'
import { FETCH, STORED_SINCE } from './sql.js'

const RECONNECT_MIN_MS = 500
const RECONNECT_MAX_MS = 30_000

/**
 * LISTEN/NOTIFY: receives what others store, over a connection of its own. It reconnects with back-off, and what was stored
 * in between is read from the table (catch-up by the database's clock).
 */
export async function listenTo(
  connection: pg.ClientConfig,
  self: string,
  onThought: (thought: StoredThought) => void,
): Promise<() => Promise<void>> {
  const listener = new NotificationListener(connection, self, onThought)
  await listener.connect()
  return () => listener.close()
}

class NotificationListener {
  readonly #connection: pg.ClientConfig
  readonly #self: string
  readonly #onThought: (thought: StoredThought) => void
  #client: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined
  #pauseMs = RECONNECT_MIN_MS
  /** The database's own time of the last thought received. */
  #lastStored: string | undefined
  #isClosed = false

  constructor(connection: pg.ClientConfig, self: string, onThought: (thought: StoredThought) => void) {
    // Nothing may be said for hours on this connection.
    const { statement_timeout: _statement, query_timeout: _query, ...rest } = connection
    this.#connection = rest
    this.#self = self
    this.#onThought = onThought
  }

  async connect(): Promise<void> {
    const client = new pg.Client(this.#connection)
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    client.on('notification', ({ payload }) => void this.#take(client, payload ?? ''))
    this.#client = client
    try {
      await client.connect()
      await client.query(`listen ${CHANNEL}`)
      await this.#catchUp(client)
      this.#pauseMs = RECONNECT_MIN_MS
    } catch (error) {
      this.#isClosed = this.#isClosed || this.#lastStored === undefined
      this.#lost(client)
      if (this.#lastStored === undefined) throw error
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#client?.end().catch(() => undefined)
  }

  async #catchUp(client: pg.Client): Promise<void> {
    if (this.#lastStored !== undefined) {
      await this.#replaySince(client, this.#lastStored)
    }
    const { rows } = await client.query('select clock_timestamp()::text as now')
    this.#lastStored = String(rows[0]?.now)
  }

  /** Page by page, so that none is missed however long the connection was lost. */
  async #replaySince(client: pg.Client, since: string): Promise<void> {
    for (let last = { stored_at: since, id: '\uffff' }; ; ) {
      const { rows } = await client.query(STORED_SINCE, [last.stored_at, last.id, this.#self])
      const page = rows as (Row & { stored_at: string })[]
      for (const row of page) this.#onThought(thoughtOf(row))
      const end = page.at(-1)
      if (end === undefined) return
      last = end
    }
  }

  async #take(client: pg.Client, payload: string): Promise<void> {
    const ids = idsFrom(payload, this.#self)
    if (ids.length === 0) return
    try {
      const { rows } = await client.query(FETCH, [ids])
      for (const row of rows as Row[]) this.#onThought(thoughtOf(row))
      const { rows: clock } = await client.query('select clock_timestamp()::text as now')
      this.#lastStored = String(clock[0]?.now)
    } catch {
      // The connection is gone: catching up after the next one brings these too.
      return
    }
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    client.end().catch(() => undefined)
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.connect().catch(() => undefined)
    }, this.#pauseMs)
    this.#timer.unref()
    this.#pauseMs = Math.min(this.#pauseMs * 2, RECONNECT_MAX_MS)
  }
}

/** Reads a notice. Every user of the database can send one, so it is only used as a list of ids to check. */
function idsFrom(payload: string, self: string): string[] {
  try {
    const { from, ids } = JSON.parse(payload) as { from?: unknown; ids?: unknown }
    if (from === self || !Array.isArray(ids)) return []
    return ids.filter((id): id is string => typeof id === 'string')
  } catch {
    return []
  }
}
