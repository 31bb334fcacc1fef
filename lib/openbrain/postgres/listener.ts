// Follows the changes of others over a connection of its own: notified by the server (LISTEN), or by polling where notifications do not
// arrive, which is on a replica and behind a pooler that hands every transaction to another connection. Changes that were missed while
// the connection was lost are read from the log.
import pg from 'pg'
import type { ChangeFeed } from '../store.js'
import { type ChangeListener, ChangeLog } from './change-log.js'
import { SCHEMA } from './names.js'

const RECONNECT_MIN_MS = 500
const RECONNECT_MAX_MS = 4000
/** How often the log is read without notifications. */
const POLL_MS = 500
/** With notifications, how often it is read anyway: a connection that is dead without a word is noticed. */
const HEARTBEAT_MS = 15_000

const PROBE = 'select pg_backend_pid() as pid, pg_is_in_recovery() as is_replica'

type Client = pg.Client & { ref(): void; unref(): void; processID: number | null }

/** Follows the changes of others, of some projects or all, until it is closed. Rejects when the first connection fails. */
export async function followChanges(
  connection: pg.ClientConfig,
  self: string,
  listener: ChangeListener & { onLost(): Promise<unknown>; projects: string[] | undefined },
): Promise<Follower> {
  const { projects } = listener
  const follower = new Follower(connection, new ChangeLog(self, listener, projects), () => listener.onLost(), projects)
  await follower.connect()
  return follower
}

export class Follower {
  readonly #connection: pg.ClientConfig
  readonly #log: ChangeLog
  readonly #onLost: () => Promise<unknown>
  readonly #projects: string[] | undefined
  #client: Client | undefined
  #timer: NodeJS.Timeout | undefined
  #pauseMs = RECONNECT_MIN_MS
  #reading: Promise<void> | undefined
  #isReadAgain = false
  #hasConnected = false
  #isClosed = false
  #feed: ChangeFeed = 'notified'

  /** Where to connect may change with every connection: another server may have taken over. */
  constructor(connection: pg.ClientConfig, log: ChangeLog, onLost: () => Promise<unknown>, projects?: string[]) {
    this.#projects = projects
    this.#onLost = onLost
    this.#connection = connection
    this.#log = log
  }

  get feed(): ChangeFeed {
    return this.#feed
  }

  async connect(): Promise<void> {
    const client = new pg.Client({ ...this.#connection }) as Client
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    client.on('notification', () => void this.#read(client))
    this.#client = client
    try {
      await client.connect()
      await this.#subscribe(client)
      await this.#read(client)
      if (this.#client !== client) throw new Error('the connection was closed')
      this.#hasConnected = true
      this.#pauseMs = RECONNECT_MIN_MS
    } catch (error) {
      if (!this.#hasConnected) this.#isClosed = true
      this.#lost(client)
      if (!this.#hasConnected) throw error
    }
  }

  async #subscribe(client: Client): Promise<void> {
    const { rows } = await client.query(PROBE)
    // A pooler names a process of its own.
    const isNotified = rows[0]?.is_replica !== true && Number(rows[0]?.pid) === client.processID
    if (isNotified) await this.#listen(client)
    this.#feed = isNotified ? 'notified' : 'polled'
  }

  /** Reads the log; one reading at a time, and once more for changes that are announced meanwhile. */
  #read(client: Client): Promise<void> {
    this.#isReadAgain = true
    this.#reading ??= this.#readAll(client).finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readAll(client: Client): Promise<void> {
    clearTimeout(this.#timer)
    client.ref()
    try {
      while (this.#isReadAgain && this.#client === client) {
        this.#isReadAgain = false
        await this.#log.read((text, values) => client.query(text, values))
      }
    } catch (error) {
      this.#lost(client)
      if (!this.#hasConnected) throw error
      return
    }
    if (this.#client === client && !this.#isClosed) this.#readLater(client)
  }

  /** While it waits, the connection keeps no process alive. */
  #readLater(client: Client): void {
    client.unref()
    const isPolled = this.#feed === 'polled'
    // The grants, and with them the channels, may have changed.
    const again = isPolled ? () => this.#read(client) : () => this.#listen(client).then(() => this.#read(client))
    this.#timer = setTimeout(() => void again().catch(() => this.#lost(client)), isPolled ? POLL_MS : HEARTBEAT_MS)
    this.#timer.unref()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    const client = this.#client
    this.#client = undefined
    client?.ref()
    await client?.end().catch(() => undefined)
  }

  #lost(client: Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    clearTimeout(this.#timer)
    client.end().catch(() => undefined)
    if (this.#isClosed) return
    const again = () => this.#onLost().then(() => (this.#isClosed ? undefined : this.connect()))
    this.#timer = setTimeout(() => void again().catch(() => undefined), this.#pauseMs)
    this.#timer.unref()
    this.#pauseMs = Math.min(this.#pauseMs * 2, RECONNECT_MAX_MS)
  }

  /** Listens to the channels of the projects, as far as they are granted. */
  async #listen(client: Client): Promise<void> {
    client.ref()
    const found = await client.query(`select channels as name from ${SCHEMA}.channels($1)`, [this.#projects ?? null])
    const names = found.rows.map(({ name }) => `listen ${name};`)
    await client.query(`unlisten *; ${names.join(' ')}`)
  }
}
