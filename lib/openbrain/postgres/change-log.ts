// The changes that others made, each once, read from the audit table as a log with a cursor (the reading side of a transactional outbox).
// Transactions commit in another order than they number their rows, so that a plain cursor would skip those that commit late. The cursor
// therefore stays at the oldest transaction that was under way (the snapshot's xmin), and remembers the rows already read after it.
import type { ForgottenThought, StoredThought } from '../store.js'
import { SCHEMA } from './names.js'
import { isSound, type Row, thoughtOf } from './rows.js'
import { COLUMNS } from './sql.js'

const PAGE = 500

const READ = `select h.horizon, c.* from (select pg_snapshot_xmin(pg_current_snapshot())::text as horizon) h
  left join lateral (select a.seq::text as seq, a.xact::text as xact, a.action, a.thought, a.project as of_project, a.client, t.*
    from ${SCHEMA}.audit a left join (select ${COLUMNS} from ${SCHEMA}.thoughts where forgotten_at is null) t on t.id = a.thought
    where (a.xact, a.seq) > ($1::text::xid8, $2::bigint) and a.seq > $3::bigint
      and ($4::text[] is null or a.project = any ($4))
    order by a.xact, a.seq limit ${PAGE}) c on true`

type ChangeRow = Row & {
  horizon: string
  seq: string | null
  xact: string
  action: string
  thought: string
  of_project: string
  client: string
}

export type Query = (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>

export interface ChangeListener {
  onThought(thought: StoredThought): void
  onForgotten(thought: ForgottenThought): void
}

export class ChangeLog {
  readonly #self: string
  readonly #listener: ChangeListener
  readonly #projects: string[] | undefined
  /** Every change of an earlier transaction was read; undefined before the first read. */
  #horizon: bigint | undefined
  /** The changes after the horizon that were read. */
  #seen = new Set<string>()
  #last = 0n
  /** Changes up to this number belong to the server before, which this one was restored from. */
  #floor = 0n

  constructor(self: string, listener: ChangeListener, projects?: string[]) {
    this.#self = self
    this.#projects = projects
    this.#listener = listener
  }

  /** Reads the new rows. The first read only notes where the log ends. */
  async read(query: Query): Promise<void> {
    const isFirst = this.#horizon === undefined
    // The first read begins at the transactions that are under way.
    const begin = this.#horizon ?? (await horizonOf(query))
    const seen = new Map<string, bigint>()
    let cursor = { xact: begin, seq: 0n }
    let horizon: bigint | undefined
    for (;;) {
      const { rows } = await query(READ, [
        String(cursor.xact),
        String(cursor.seq),
        String(this.#floor),
        this.#projects ?? null,
      ])
      const page = rows as ChangeRow[]
      // Later pages see later transactions: the first one tells up to where everything was read.
      horizon ??= BigInt(page[0]?.horizon ?? begin)
      if (horizon < begin) return this.#restart(query)
      for (const row of page) this.#take(row, isFirst, seen)
      const end = page.at(-1)
      if (end?.seq == null || page.length < PAGE) break
      cursor = { xact: BigInt(end.xact), seq: BigInt(end.seq) }
    }
    this.#horizon = horizon
    const end = horizon
    this.#seen = new Set([...seen].filter(([, xact]) => xact >= end).map(([seq]) => seq))
  }

  #take(row: ChangeRow, isFirst: boolean, seen: Map<string, bigint>): void {
    if (row.seq === null) return
    const isNew = !isFirst && !this.#seen.has(row.seq)
    seen.set(row.seq, BigInt(row.xact))
    // At once: the connection may break before the next page.
    this.#seen.add(row.seq)
    if (BigInt(row.seq) > this.#last) this.#last = BigInt(row.seq)
    if (!isNew || row.client === this.#self) return
    if (row.action === 'forgotten') this.#listener.onForgotten({ id: row.thought, project: row.of_project })
    // A thought that was forgotten meanwhile has no text any more; the forgetting is in the log as well.
    else if (row.action !== 'removed' && row.action !== 'prolonged' && row.id !== null && isSound(row))
      this.#listener.onThought(thoughtOf(row))
  }

  /** A server that was restored from a backup numbers its transactions anew, but goes on with the numbers of the log. */
  async #restart(query: Query): Promise<void> {
    this.#floor = this.#last
    this.#horizon = 0n
    this.#seen = new Set()
    await this.read(query)
  }
}

async function horizonOf(query: Query): Promise<bigint> {
  const { rows } = await query('select pg_snapshot_xmin(pg_current_snapshot())::text as horizon', [])
  return BigInt((rows[0] as { horizon: string }).horizon)
}
