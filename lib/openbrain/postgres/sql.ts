import { CLEARED_COLUMNS, forgottenWith, SCHEMA, type Space } from './schema.js'

const COLUMNS =
  'id, content, project, type, source, created_by, captured_at, expires_at, supersedes, tags, confidence, metadata'

/** Stores thoughts that are not there; one that is there, or is forgotten, stays as it is. In one order: no two wait in a ring. */
export const INSERT = `insert into ${SCHEMA}.thoughts (${COLUMNS}, stored_by)
  select t.*, $2::text from jsonb_to_recordset($1::jsonb) as t (id text, content text, project text, type text, source text,
    created_by text, captured_at timestamptz, expires_at timestamptz, supersedes text, tags text[], confidence real,
    metadata jsonb) order by t.id
  on conflict (id) do nothing returning id`

/** Lengthens the lives of thoughts that are there. In one order, as above. */
export const PROLONG = `with longer as (select t.id, n.expires_at
    from jsonb_to_recordset($1::jsonb) as n (id text, expires_at timestamptz) join ${SCHEMA}.thoughts t on t.id = n.id
    where t.expires_at < n.expires_at and t.forgotten_at is null order by t.id for update of t)
  update ${SCHEMA}.thoughts t set expires_at = longer.expires_at from longer where t.id = longer.id`

/** Returns one of the thoughts with these ids that belongs to none of these projects. */
export const OF_OTHERS = `select id, project from ${SCHEMA}.thoughts
  where id = any($1) and project <> all($2::text[]) and forgotten_at is null limit 1`

/** What is forgotten, and what it took the place of, keeps its id, so that neither can come back, and nothing else. */
export const FORGET = `with recursive ${forgottenWith('t.id = any($1)')}
  insert into ${SCHEMA}.thoughts as t (id, content, forgotten_at)
  select id, '', clock_timestamp() from (select unnest($1::text[]) as id union select id from chain) doomed order by id
  on conflict (id) do update set ${CLEARED_COLUMNS} where t.forgotten_at is null returning id`

export const COUNT = `select count(*)::int as count from ${SCHEMA}.thoughts
  where forgotten_at is null and ($1::text is null or project = $1)`

/** What the triggers of the schema count: another row after every change of a thought or a vector. */
export const STATE = `select count::text as count, at::text as at from ${SCHEMA}.changes`
/** A database that has no such row: it was not set up yet, or by an older release, or the role may not read it. */
export const NO_STATE = ['42P01', '3F000', '42501']

export const FETCH = `select ${COLUMNS} from ${SCHEMA}.thoughts where id = any($1) and forgotten_at is null`

export const STORED_SINCE = `select ${COLUMNS}, stored_at::text as stored_at from ${SCHEMA}.thoughts
  where (stored_at, id) > ($1::timestamptz, $2::text) and stored_by <> $3 and forgotten_at is null
  order by stored_at, id limit 1000`

/** Of $2 project, $3 type, $4 since and $5 now, the last is always given. */
const VISIBLE = `t.forgotten_at is null and (t.expires_at is null or t.expires_at > $5::timestamptz)
  and ($2::text is null or t.project = $2) and ($3::text is null or t.type = $3)
  and ($4::timestamptz is null or t.captured_at >= $4::timestamptz)
  and not exists (select 1 from ${SCHEMA}.thoughts s where s.supersedes = t.id and s.project = t.project)`

/** Any of the words will do; how many and how close decides the rank. The words come back from the parser quoted. */
export const LEXICAL = `with q as (select replace(plainto_tsquery('english', $1)::text, '&', '|')::tsquery as any_word)
  select t.id from ${SCHEMA}.thoughts t, q where t.words @@ q.any_word and ${VISIBLE}
  order by ts_rank_cd(t.words, q.any_word, 1) desc, ts_rank(t.words, q.any_word) desc, t.id desc limit $6`

export function nearest({ table, cast }: Space): string {
  return `select t.id from ${table} v join ${SCHEMA}.thoughts t on t.id = v.id where ${VISIBLE}
    order by v.embedding <=> $1::${cast} limit $6`
}

export function insertVectors({ table, cast }: Space): string {
  return `insert into ${table} (id, embedding) select v.id, v.embedding::${cast}
    from unnest($1::text[], $2::text[]) as v (id, embedding)
    where exists (select 1 from ${SCHEMA}.thoughts t where t.id = v.id and t.forgotten_at is null)
    on conflict (id) do nothing`
}

export function deleteVectors(table: string): string {
  return `delete from ${table} where id = any($1)`
}

export function withoutVector({ table }: Space): string {
  return `select t.id, t.content from ${SCHEMA}.thoughts t where t.forgotten_at is null
    and not exists (select 1 from ${table} v where v.id = t.id) order by t.stored_at desc limit $1`
}

export function vectorCounts({ table }: Space): string {
  return `select (select count(*)::int from ${table}) as done,
    (select count(*)::int from ${SCHEMA}.thoughts where forgotten_at is null) as total`
}
