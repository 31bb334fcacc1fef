// Removes thoughts that no search returns any more. One that is delivered again later comes back in the state that hid it, except for a
// forgotten one: its id keeps it away, so the id should stay longer than any machine was offline.
import type { Retention, RetentionReport } from '../store.js'
import type { Database } from './database.js'
import { SCHEMA } from './schema.js'

/** How many thoughts a transaction removes: their locks are short, and an interrupted job has removed whole pages. */
const PAGE = 1000

type Kind = keyof RetentionReport

const supersedes = 's.supersedes = t.id and s.project = t.project'
const ofIt = 'r.id = t.id and r.project = t.project and r.tenant = t.tenant'
/** By the rulings on it, a thought does not count. They stay when it goes: delivered again, it would be hidden as before. */
const RULED_OUT = `exists (select 1 from ${SCHEMA}.rulings r where ${ofIt} and r.kind in ('retire', 'reject'))
  and not ${SCHEMA}.is_current(t.id, t.project, t.tenant)`
/** Thoughts that no search returns. */
export const HIDDEN = `t.forgotten_at is null and (t.expires_at < now() or ${RULED_OUT}
  or exists (select 1 from ${SCHEMA}.thoughts s where ${supersedes}))`

/** Which thoughts are of a kind for longer than `$1` days, by the clock of the database. */
const OLD: Record<Exclude<Kind, 'audit'>, string> = {
  expired: `t.forgotten_at is null and t.expires_at < now() - $1 * interval '1 day'`,
  superseded: `t.forgotten_at is null and (exists (select 1 from ${SCHEMA}.thoughts s where ${supersedes} and s.forgotten_at is null
    and s.stored_at < now() - $1 * interval '1 day') or (${RULED_OUT} and not exists (select 1 from ${SCHEMA}.rulings r
      where ${ofIt} and r.kind in ('retire', 'reject', 'keep', 'accept') and r.at >= now() - $1 * interval '1 day')))`,
  forgotten: `t.forgotten_at < now() - $1 * interval '1 day'`,
}

/** The rows that a kind removes: the table, its key, and the condition. Only an owner may remove from the audit. */
function rowsOf(kind: Kind): { table: string; key: string; old: string } {
  if (kind !== 'audit') return { table: `${SCHEMA}.thoughts`, key: 'id', old: OLD[kind] }
  return { table: `${SCHEMA}.audit`, key: 'seq', old: `t.at < now() - $1 * interval '1 day'` }
}

/** Removes, or with `isDry` counts, the thoughts that are old enough. */
export async function retain(
  database: Database,
  retention: Retention,
  isDry: boolean,
  onProgress: (report: RetentionReport) => void = () => undefined,
): Promise<RetentionReport> {
  const { expiredDays, supersededDays, forgottenDays, auditDays } = retention
  const days: Record<Kind, number | undefined> = {
    expired: expiredDays,
    superseded: supersededDays,
    forgotten: forgottenDays,
    audit: auditDays,
  }
  const report: RetentionReport = { expired: 0, superseded: 0, forgotten: 0, audit: 0 }
  for (const kind of Object.keys(report) as Kind[]) {
    const age = days[kind]
    if (age === undefined) continue
    if (isDry) {
      const { table, old } = rowsOf(kind)
      const { rows } = await database.query(`select count(*)::int as count from ${table} t where ${old}`, [age])
      report[kind] = Number(rows[0]?.count)
    } else await removePages(kind)
  }
  return report

  async function removePages(kind: Kind): Promise<void> {
    const { table, key, old } = rowsOf(kind)
    const text = `delete from ${table} where ${key} in (
      select t.${key} from ${table} t where ${old} order by t.${key} limit ${PAGE} for update of t skip locked)`
    for (let removed = PAGE; removed > 0; ) {
      removed = (await database.query(text, [days[kind]])).rowCount ?? 0
      report[kind] += removed
      if (removed > 0) onProgress({ ...report })
    }
  }
}
