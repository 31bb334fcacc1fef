// What was decided about the thoughts of a project since a client asked last: rulings, forgettings, and which thought superseded which, as lines of a
// journal. Transactions commit in another order than they begin, so the cursor is the oldest one that was under way (the snapshot's xmin): what began
// since is read again, and whoever receives lines knows those that it has.
import type { Decisions } from '../store.js'
import { SCHEMA } from './names.js'
import { rulingLine } from './rows.js'

/** How many are read at a time; all of one transaction are. */
const PAGE = 2000

const READ = `select h.horizon, h.granted, d.* from (select pg_snapshot_xmin(pg_current_snapshot())::text as horizon,
    (select granted from ${SCHEMA}.changes) as granted) h
  left join lateral (select * from (
    select r.xact, r.kind, r.id, r.other, r.why, r.at, r.more, '' as project from ${SCHEMA}.rulings r
      where r.project = any($1) and r.xact >= $2::text::xid8 and isfinite(r.at)
    union all select a.xact, 'delete', a.thought, '', '', a.at, '{}', '' from ${SCHEMA}.audit a
      where a.project = any($1) and a.xact >= $2::text::xid8 and a.action = 'forgotten'
    union all select a.xact, 'supersede', t.id, t.supersedes, t.type, t.captured_at, '{}', t.project from ${SCHEMA}.audit a
      join ${SCHEMA}.thoughts t on t.id = a.thought and t.project = a.project
      where a.project = any($1) and a.xact >= $2::text::xid8 and a.action = 'edited' and t.supersedes is not null and isfinite(t.captured_at)
  ) found order by xact fetch first ${PAGE} rows with ties) d on true`

interface DecisionRow {
  horizon: string
  /** A hash of what is granted to this user, under row security. */
  granted: string | null
  xact: string | null
  kind: string
  id: string
  other: string
  why: string
  at: Date
  more: Record<string, unknown>
  project: string
}

type Query = (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>

/** Reads what is behind a cursor that an earlier call returned; all of it when the cursor is of other names, other grants or another server. */
export async function decisionsSince(query: Query, projects: string[], since: string | undefined): Promise<Decisions> {
  const known = cursorOf(since)
  const of = JSON.stringify(projects)
  const from = known?.of === of ? known.upto : '0'
  let rows = (await query(READ, [projects, from])).rows as DecisionRow[]
  const isOther = BigInt(rows[0]?.horizon ?? 0) < BigInt(from) || (from !== '0' && rows[0]?.granted !== known?.granted)
  if (isOther) rows = (await query(READ, [projects, '0'])).rows as DecisionRow[]
  const found = rows.filter(({ xact }) => xact !== null)
  const isMore = found.length >= PAGE
  const upto = isMore ? String(BigInt(found.at(-1)?.xact ?? 0) + 1n) : (rows[0]?.horizon ?? '0')
  return { lines: found.map(lineOf), upto: JSON.stringify({ of, upto, granted: rows[0]?.granted ?? null }), isMore }
}

interface Cursor {
  of: string
  upto: string
  granted: string | null
}

function cursorOf(text: string | undefined): Cursor | undefined {
  return text === undefined || text === '' ? undefined : (JSON.parse(text) as Cursor)
}

function lineOf({ kind, id, other, why, at, more, project }: DecisionRow): string {
  if (kind === 'delete') return JSON.stringify({ _v: 1, _action: kind, id, at: at.toISOString() })
  if (kind !== 'supersede') return rulingLine(id, { kind, other, why, at: at.toISOString(), more })
  // Of a record that replaces another one, the receiver needs to know only that it does: its text is in the store.
  return JSON.stringify({
    _v: 1,
    id,
    content: '-',
    project,
    type: why,
    captured_at: at.toISOString(),
    supersedes: other,
  })
}
