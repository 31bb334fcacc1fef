import { LONG_FROM } from '../embedder/pieces.js'
import { SCHEMA, type Space, type VectorTable } from './schema.js'

export const COLUMNS =
  'id, content, project, type, source, created_by, captured_at, expires_at, supersedes, tags, confidence, metadata'

/**
 * Inserts thoughts; one that is stored or forgotten stays unchanged. Rows are locked in the order of ids, so that
 * transactions cannot deadlock.
 */
export const INSERT = `insert into ${SCHEMA}.thoughts (${COLUMNS}, stored_by)
  select t.*, $2::text from jsonb_to_recordset($1::jsonb) as t (id text, content text, project text, type text, source text,
    created_by text, captured_at timestamptz, expires_at timestamptz, supersedes text, tags text[], confidence real,
    metadata jsonb) order by t.id
  on conflict (id) do nothing returning id`

/** Extends the expiry of stored thoughts, in the same order. */
export const PROLONG = `with longer as (select t.id, n.expires_at
    from jsonb_to_recordset($1::jsonb) as n (id text, expires_at timestamptz) join ${SCHEMA}.thoughts t on t.id = n.id
    where t.expires_at < n.expires_at and t.forgotten_at is null order by t.id for update of t)
  update ${SCHEMA}.thoughts t set expires_at = longer.expires_at from longer where t.id = longer.id`

/**
 * Notes rulings, each for the project of its thought, or the current name when the thought is not there yet. A forgotten thought gets none.
 * Rows are locked in the order of their keys.
 */
export const RULE = `insert into ${SCHEMA}.rulings (id, kind, other, why, said_at, more, project, person, client)
  select n.id, n.kind, n.other, n.why, n.at, n.more, coalesce(t.project, n.projects ->> 0, ''), $2, $3
    from jsonb_to_recordset($1::jsonb) as n (id text, kind text, other text, why text, at timestamptz, more jsonb, projects jsonb)
    left join ${SCHEMA}.thoughts t on t.id = n.id and n.projects ? t.project
    where not exists (select 1 from ${SCHEMA}.thoughts g where g.id = n.id and g.forgotten_at is not null)
    order by n.id, n.kind, n.other, n.at
  on conflict do nothing`

/** Returns one of the thoughts with these ids that belongs to none of these projects. */
export const OF_OTHERS = `select id, project from ${SCHEMA}.thoughts
  where id = any($1) and project <> all($2::text[]) and forgotten_at is null limit 1`

/** Clears every column of a row except its id. */
const CLEARED_COLUMNS = `content = '', project = '', type = '', source = '', created_by = '', captured_at = null,
  expires_at = null, supersedes = null, tags = '{}', confidence = null, metadata = '{}', stored_by = '',
  stored_at = clock_timestamp(), forgotten_at = coalesce(t.forgotten_at, clock_timestamp())`

/**
 * Forgets thoughts, and those of their projects that they superseded, the ids of which may not be stored yet: only the id stays, so that they cannot be
 * stored again. The audit names who did it; of one that was never stored, the row says for which project `$4`.
 */
export const FORGET = `with recursive chain (id, supersedes, project) as (
    select t.id, t.supersedes, t.project from ${SCHEMA}.thoughts t where t.id = any($1)
    union
    select c.supersedes, o.supersedes, c.project from chain c left join ${SCHEMA}.thoughts o on o.id = c.supersedes
    where c.supersedes is not null and (o.id is null or o.project = c.project)),
  author as materialized (select set_config('${SCHEMA}.person', $2, true), set_config('${SCHEMA}.client', $3, true))
  insert into ${SCHEMA}.thoughts as t (id, content, forgotten_at, planted_for)
  select id, '', clock_timestamp(), $4::text from (select unnest($1::text[]) as id union select id from chain) doomed, author order by id
  on conflict (id) do update set ${CLEARED_COLUMNS} where t.forgotten_at is null returning id`

export const COUNT = `select count(*)::int as count from ${SCHEMA}.thoughts
  where forgotten_at is null and ($1::text is null or project = $1)`

export const PROJECTS = `select project from ${SCHEMA}.thoughts where forgotten_at is null
  group by project order by max(captured_at) desc limit 1000`

/** The state of some projects, or of all: the counter of changes that the triggers of the schema maintain, and the grants of this user. */
export function stateText(projects: string | undefined): string {
  if (projects === undefined) return `(select to_jsonb(c)::text from ${SCHEMA}.changes c)`
  return `(select jsonb_build_array(${SCHEMA}.count_of(${projects}), granted)::text from ${SCHEMA}.changes)`
}
/** SQLSTATEs that mean there are no tables: no schema yet, or no permission to read it. */
export const NO_TABLES = ['42P01', '3F000', '42501']

export const FETCH = `select ${COLUMNS} from ${SCHEMA}.thoughts where id = any($1) and forgotten_at is null`

/** How many contradictions are listed, the newest. */
const CONTRADICTIONS_MAX = 200

/** The shortest piece of an id. */
const PIECE_MIN = 6

/**
 * Thoughts as they were stored, in the order of their ids: `$1` ids, in any project, or pieces of them in the projects `$2`; without ids all of
 * those projects. `$3` is the id behind which they begin, `$4` their number, `$5` are the authors, all when it is null. A generated id begins with `mem_`, which its short forms leave out.
 */
export function keptThoughts(isById: boolean): string {
  const said = `, not ${SCHEMA}.is_current(t.id, t.project, t.tenant) as is_retired, ${SCHEMA}.marks_of(t.id, t.project, t.tenant) as marks,
       (select jsonb_agg(jsonb_build_object('kind', r.kind, 'other', r.other, 'why', r.why, 'at', r.said_at, 'more', r.more) order by r.at, r.said_at)
          from ${SCHEMA}.rulings r where r.id = t.id and r.project = t.project and r.tenant = t.tenant) as rulings`
  const byId = `(t.id = any($1::text[]) or (t.project = any($2::text[]) and exists (select 1 from unnest($1::text[]) w
      where length(w) >= ${PIECE_MIN} and (right(t.id, length(w)) = w or starts_with(t.id, w) or starts_with(t.id, 'mem_' || w)))))`
  return `select ${COLUMNS.split(', ')
    .map((column) => `t.${column}`)
    .join(', ')},
      exists (select 1 from ${SCHEMA}.thoughts s where s.supersedes = t.id and s.project = t.project) as is_superseded${said}
    from ${SCHEMA}.thoughts t where t.forgotten_at is null and t.id > $3::text and ($5::text[] is null or t.created_by = any($5)) and ${isById ? byId : 't.project = any($2::text[]) and $1::text[] is null'}
    order by t.id limit $4::int`
}

/** The thoughts that contradict each other, each with the rulings that name it first. */
export const CONTRADICTIONS = `with open as materialized (select c.id, c.other, c.why, c.at, c.more, c.project, c.tenant from ${SCHEMA}.rulings c
    where c.kind = 'conflict' and c.project = any($1) and isfinite(c.at) and not exists (select 1 from ${SCHEMA}.rulings h
      where h.kind = 'hold' and h.at >= c.at and h.project = c.project and h.tenant = c.tenant
        and ((h.id = c.id and h.other = c.other) or (h.id = c.other and h.other = c.id))) order by c.at desc limit ${CONTRADICTIONS_MAX}),
  sides as (select id, project, tenant from open union select other, project, tenant from open)
  select ${COLUMNS.split(', ')
    .map((column) => `t.${column}`)
    .join(
      ', ',
    )}, (select jsonb_agg(jsonb_build_object('kind', 'conflict', 'other', o.other, 'why', o.why, 'at', o.at, 'more', o.more)) from open o
      where o.id = t.id) as rulings
    from sides s join ${SCHEMA}.thoughts t on t.id = s.id and t.project = s.project and t.tenant = s.tenant
    where t.forgotten_at is null and (t.expires_at is null or t.expires_at > now()) and ${SCHEMA}.is_current(t.id, t.project, t.tenant)
      and not exists (select 1 from ${SCHEMA}.thoughts n where n.supersedes = t.id and n.project = t.project)`

/** The vector at place `g.place` of an array that has all of them, one after the other, with `$3` values each. */
const sliceOf = (array: string, { cast }: VectorTable) =>
  `(${array}::float4[])[(g.place - 1) * $3::int + 1 : g.place * $3::int]::${cast}`

/**
 * Inserts thoughts with their vectors, in one transaction. The conflict of vectors names no column: with row security, that would ask for
 * the right to see a vector whose thought this very statement inserts. `$3` is the dimension, `$4` the ids and `$5` the values of the vectors.
 */
export function insertWithVectors(space: Space): string {
  return `with stored as (${INSERT}), vectors as (
      insert into ${space.table} (id, embedding, is_indexed) select g.id, ${sliceOf('$5', space)}, ${!space.isIndexed}
        from unnest($4::text[]) with ordinality g (id, place) join stored on stored.id = g.id
        on conflict do nothing)
    select id from stored`
}

export function insertVectors(space: Space): string {
  return `insert into ${space.table} (id, embedding, is_indexed) select g.id, ${sliceOf('$2', space)}, ${!space.isIndexed}
    from unnest($1::text[]) with ordinality g (id, place)
    where exists (select 1 from ${SCHEMA}.thoughts t where t.id = g.id and t.forgotten_at is null)
    on conflict do nothing`
}

/**
 * Inserts the pieces of long texts that have a vector and no pieces: `$1` are their ids, one for each piece, `$2` the numbers of the pieces, `$3` the
 * dimension, `$4` the values of their vectors; piece 0 stands at the end and has none.
 */
export function insertPieces(pieces: VectorTable, { table }: Space): string {
  return `insert into ${pieces.table} (id, piece, embedding, is_indexed)
    select g.id, g.piece, case when g.piece > 0 then ${sliceOf('$4', pieces)} end, ${!pieces.isIndexed}
    from unnest($1::text[], $2::int[]) with ordinality g (id, piece, place)
    where exists (select 1 from ${table} v where v.id = g.id) and not exists (select 1 from ${pieces.table} p where p.id = g.id)
    on conflict do nothing`
}

/** Takes some of the vectors that are compared exactly into the index. */
export function indexSome({ table }: VectorTable): string {
  return `update ${table} set is_indexed = true where id in (select id from ${table} where not is_indexed limit $1
    for update skip locked)`
}

export function tailCount({ table }: VectorTable): string {
  return `select count(*)::int as count from ${table} where not is_indexed`
}

export function deleteVectors(table: string): string {
  return `delete from ${table} where id = any($1)`
}

/** Thoughts without a vector, newest first, from a place on; each page is read once, so that the work does not grow with the table. */
export function withoutVector({ table }: Space): string {
  return missing(`not exists (select 1 from ${table} v where v.id = t.id)`)
}

/** The same for thoughts with a vector that may be long, and whose pieces are missing. The number of bytes is known without reading them. */
export function withoutPieces({ table }: VectorTable, space: Space): string {
  return missing(`octet_length(t.content) > ${LONG_FROM} and exists (select 1 from ${space.table} v where v.id = t.id)
      and not exists (select 1 from ${table} p where p.id = t.id)`)
}

function missing(condition: string): string {
  return `select t.id, t.content, t.stored_at::text as stored_at from ${SCHEMA}.thoughts t
    where (t.stored_at, t.id) < ($1::timestamptz, $2::text) and t.forgotten_at is null
      and ${condition} order by t.stored_at desc, t.id desc limit $3`
}

export function vectorCounts({ table }: Space): string {
  // Vectors of thoughts that were forgotten meanwhile are not counted.
  return `select count(v.id)::int as done, count(*)::int as total from ${SCHEMA}.thoughts t left join ${table} v on v.id = t.id
    where t.forgotten_at is null`
}
