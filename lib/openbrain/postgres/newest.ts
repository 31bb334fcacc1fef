// The newest current thoughts of a project, for replicas. Who has them already gets what is new: the thoughts that a change since may have made other,
// each as it is now, or as gone. Transactions commit in another order than they begin, so that the place to go on from is the oldest one that was under
// way (the snapshot's xmin): what began since is read again.
import type { NewestThoughts } from '../store.js'
import { SCHEMA } from './names.js'
import { isSound, type Row, thoughtOf } from './rows.js'
import { CURRENT, changedSince, MARKS, Parameters, seenBy } from './search-statement.js'
import { COLUMNS } from './sql.js'

/** What the client has: the state, the first transaction that it may not have seen, and the grants and changes of every project then. */
type Known = [version: string | null, from: string, basis: string]

type NewestRow = Row & {
  version: string | null
  changed: boolean
  horizon: string
  basis: string
  /** Of a change: the thought that it concerns, also when it is none any more. */
  touched?: string | null
}

type Query = (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>

const THOUGHT = `${COLUMNS.split(', ')
  .map((column) => `t.${column}`)
  .join(', ')}${MARKS}`
const HEAD = `changed.version, changed.it as changed, pg_snapshot_xmin(pg_current_snapshot())::text as horizon,
  (select jsonb_build_array(granted, ${SCHEMA}.count_of('{}'))::text from ${SCHEMA}.changes) as basis`

/** Reads them, unless the state is still `known`; where that is one to go on from, only what was changed since, if that is less than `limit`. */
export async function newestThoughts(
  query: Query,
  projects: string[],
  limit: number,
  known: string | undefined,
): Promise<NewestThoughts> {
  const before = known === undefined ? undefined : (JSON.parse(known) as Known)
  let isPart = before !== undefined
  let rows = await read(isPart ? changesStatement : allStatement)
  const [first] = rows
  if (before !== undefined && first?.changed === false) return { state: known }
  const isOther = BigInt(first?.horizon ?? 0) < BigInt(before?.[1] ?? 0) || first?.basis !== before?.[2]
  if (isPart && (isOther || rows.length > limit)) {
    isPart = false
    rows = await read(allStatement)
  }
  const { version = null, horizon = '0', basis = '' } = rows[0] ?? {}
  const found = rows.filter((row) => row.id !== null && isSound(row))
  const state: Known = [version, horizon, basis]
  return {
    state: version === null ? undefined : JSON.stringify(state),
    thoughts: found.map((row) => ({ thought: thoughtOf(row), contradictedBy: row.marks?.contradictedBy ?? [] })),
    ...(isPart ? { among: rows.flatMap(({ touched }) => touched ?? []) } : {}),
  }

  async function read(statement: typeof allStatement): Promise<NewestRow[]> {
    const values = new Parameters()
    const changed = changedSince(before?.[0] ?? undefined, projects, values)
    const seen = seenBy({ projects, now: new Date().toISOString() }, values)
    const text = statement(changed, seen, values)
    return (await query(text, values.list)).rows as NewestRow[]
  }

  function allStatement(changed: string, seen: string, values: Parameters): string {
    return `with ${changed} select ${HEAD}, t.* from changed left join (select ${THOUGHT} from ${SCHEMA}.thoughts t
      where (select it from changed) and ${seen} and ${CURRENT}
      order by t.captured_at desc nulls last limit ${values.add(limit, 'int')}) t on true`
  }

  /** A thought is another one also when those that it retired, or that contradict it, are. */
  function changesStatement(changed: string, seen: string, values: Parameters): string {
    const since = (table: string) =>
      `${table}.project = any(${values.add(projects, 'text[]')}) and ${table}.xact >= ${values.add(before?.[1], 'text')}::xid8`
    return `with recursive ${changed}, touched (id) as (
      select unnest(array[a.thought, t.supersedes]) from ${SCHEMA}.audit a left join ${SCHEMA}.thoughts t on t.id = a.thought
        where (select it from changed) and ${since('a')}
      union select unnest(array[r.id, r.other]) from ${SCHEMA}.rulings r where (select it from changed) and ${since('r')}
      union select near.id from touched, lateral (
        select r.other as id from ${SCHEMA}.rulings r where r.id = touched.id and r.kind in ('retire', 'conflict', 'hold')
        union all select r.id from ${SCHEMA}.rulings r where r.other = touched.id and r.kind in ('conflict', 'hold')) near)
      select ${HEAD}, c.touched, t.* from changed left join (select id as touched from touched where id <> '' limit ${values.add(limit + 1, 'int')}) c on true
        left join lateral (select ${THOUGHT} from ${SCHEMA}.thoughts t where t.id = c.touched and ${seen} and ${CURRENT}) t on true`
  }
}
