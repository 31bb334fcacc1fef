import type { Client, PoolClient } from 'pg'
import { hasCode } from '../../shared/problem.js'
import { StoreFailure } from '../failure.js'
import { ADDITIONS } from './additions.js'
import type { Database } from './database.js'
import { LOCK, ROLES, SCHEMA } from './names.js'
import { GRANTS } from './roles.js'

export { SCHEMA }

/** How long a migration waits for statements that are under way: everything else on the table waits behind it. */
const LOCK_TIMEOUT = '5s'

/** Clears every column of a row except its id. */
export const CLEARED_COLUMNS = `content = '', project = '', type = '', source = '', created_by = '', captured_at = null,
  expires_at = null, supersedes = null, tags = '{}', confidence = null, metadata = '{}', stored_by = '',
  stored_at = clock_timestamp(), forgotten_at = coalesce(t.forgotten_at, clock_timestamp())`

/**
 * The transitive closure of superseded ids, within one project, from the rows that `first` matches. Ids that are not stored
 * yet are included.
 */
export function forgottenWith(first: string): string {
  return `chain (id, supersedes, project) as (
    select t.id, t.supersedes, t.project from ${SCHEMA}.thoughts t where ${first}
    union
    select c.supersedes, o.supersedes, c.project from chain c left join ${SCHEMA}.thoughts o on o.id = c.supersedes
    where c.supersedes is not null and (o.id is null or o.project = c.project))`
}

/** The migrations from an empty database, in order. A released migration is never changed. */
export const STEPS: string[] = [
  `create table ${SCHEMA}.thoughts (
     id text primary key,
     content text not null,
     project text not null default '',
     type text not null default '',
     source text not null default '',
     created_by text not null default '',
     captured_at timestamptz,
     expires_at timestamptz,
     supersedes text,
     tags text[] not null default '{}',
     confidence real,
     metadata jsonb not null default '{}',
     stored_at timestamptz not null default clock_timestamp(),
     stored_by text not null default '',
     forgotten_at timestamptz,
     words tsvector generated always as (to_tsvector('english', content || ' ' ||
       regexp_replace(regexp_replace(content, '([[:lower:][:digit:]])([[:upper:]])', '\\1 \\2', 'g'), '[_./\\-]+', ' ', 'g'))) stored
   );
   create index thoughts_words on ${SCHEMA}.thoughts using gin (words);
   create index thoughts_project on ${SCHEMA}.thoughts (project, captured_at);
   create index thoughts_supersedes on ${SCHEMA}.thoughts (supersedes) where supersedes is not null;
   create index thoughts_stored on ${SCHEMA}.thoughts (stored_at);
   create table ${SCHEMA}.spaces (
     id int generated always as identity primary key,
     model text not null unique,
     dimensions int not null,
     created_at timestamptz not null default now()
   );`,
  // Earlier versions kept more than the id of a forgotten thought.
  `with recursive ${forgottenWith('t.forgotten_at is not null')}
   insert into ${SCHEMA}.thoughts as t (id, content, forgotten_at)
   select distinct id, '', clock_timestamp() from chain order by id
   on conflict (id) do update set ${CLEARED_COLUMNS}`,
  // Every change of a thought or a vector increments this counter in the same transaction, manual changes included. It
  // invalidates the cached answers of other machines.
  `create table ${SCHEMA}.changes (
     is_only boolean primary key default true check (is_only),
     count bigint not null default 0,
     at timestamptz not null default clock_timestamp()
   );
   insert into ${SCHEMA}.changes default values;
   create function ${SCHEMA}.count_change() returns trigger language plpgsql security definer
     set search_path = pg_catalog, pg_temp as
     $$begin update ${SCHEMA}.changes set count = count + 1, at = clock_timestamp(); return null; end$$;
   ${countingChanges(`${SCHEMA}.thoughts`)};
   do $$declare space int; begin
     for space in select id from ${SCHEMA}.spaces loop
       execute format('${countingChanges(`${SCHEMA}.vectors_%s`)}', space);
     end loop;
   end$$;`,
  // When a model had a vector for every thought, and which clients use it: the vectors of a model that nobody uses any more are removed
  // when those of another are complete. Tables of an earlier release count as used for a while. The planner's statistics of words tell
  // searches which ones are rare.
  `alter table ${SCHEMA}.spaces add column filled_at timestamptz, add column indexed_at timestamptz;
   do $$declare space int; begin
     for space in select id from ${SCHEMA}.spaces loop
       execute format('alter table ${SCHEMA}.vectors_%s add column is_indexed boolean not null default true', space);
       execute format('${tailIndex(`${SCHEMA}.vectors_%s`)}', space);
       update ${SCHEMA}.spaces set indexed_at = clock_timestamp() where id = space;
     end loop;
   end$$;
   create table ${SCHEMA}.embedders (
     client text primary key,
     space int not null references ${SCHEMA}.spaces on delete cascade,
     seen_at timestamptz not null default clock_timestamp()
   );
   insert into ${SCHEMA}.embedders (client, space) select 'before version 4: ' || id, id from ${SCHEMA}.spaces;
   ${countingChanges(`${SCHEMA}.spaces`)};
   alter table ${SCHEMA}.thoughts alter column words set statistics 1000;`,
]

/** The version of the schema of this release, and the number of its additive steps. */
export const LATEST = STEPS.length
export const LATEST_ADDITION = ADDITIONS.length

/** Finds the vectors that are not in the index of their table yet; there are few. */
function tailIndex(table: string): string {
  return `create index on ${table} (id) where not is_indexed`
}

function countingChanges(table: string): string {
  return `create trigger changed after insert or update or delete or truncate on ${table}
    for each statement execute function ${SCHEMA}.count_change()`
}

type Session = Client | PoolClient

/**
 * Migrates the schema to that of this release; an advisory lock makes one process do it. Tables that belong to the role of owners are
 * changed as that role, so that they stay its own.
 */
export async function migrate(session: Session): Promise<void> {
  await session.query('begin')
  try {
    await session.query('select pg_advisory_xact_lock($1)', [LOCK])
    await session.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`)
    const isOwned = await becomeOwner(session)
    const { version, additions } = await versionOf(session)
    if (version > STEPS.length) {
      throw new StoreFailure('misconfigured', `the database was set up by a newer forge-memory (version ${version})`)
    }
    await apply(session, STEPS, version, 1)
    await apply(session, ADDITIONS, additions, -1)
    if (isOwned) await session.query(GRANTS)
    await session.query('commit')
  } catch (error) {
    await session.query('rollback').catch(() => undefined)
    throw error
  }
}

/** Runs the steps after the first `done`, and notes each under its number times `sign`. */
async function apply(session: Session, steps: string[], done: number, sign: 1 | -1): Promise<void> {
  for (const [at, step] of steps.entries()) {
    if (at < done) continue
    await session.query(step)
    await session.query(`insert into ${SCHEMA}.migrations (version) values ($1)`, [sign * (at + 1)])
  }
}

/** Acts as the role of owners until the end of the transaction, when the schema belongs to it and this user is a member. */
async function becomeOwner(session: Session): Promise<boolean> {
  const { rows } = await session.query(
    `select quote_ident(r.rolname) as name from pg_namespace n join pg_roles r on r.oid = n.nspowner
      where n.nspname = $1 and r.rolname ~ '^${ROLES.owner}(_|$)' and pg_has_role(current_user, r.oid, 'member')`,
    [SCHEMA],
  )
  if (rows.length > 0) await session.query(`set local role ${rows[0].name}`)
  return rows.length > 0
}

async function versionOf(session: Session): Promise<{ version: number; additions: number }> {
  const { rows } = await session.query('select to_regclass($1) is not null as present', [`${SCHEMA}.migrations`])
  if (!rows[0]?.present) {
    // A role that may not create a schema may use one that was created for it.
    const { rows: schema } = await session.query('select to_regnamespace($1) is not null as present', [SCHEMA])
    if (!schema[0]?.present) await session.query(`create schema ${SCHEMA}`)
    await session.query(
      `create table ${SCHEMA}.migrations (version int primary key, applied_at timestamptz not null default now())`,
    )
  }
  const { rows: found } = await session.query(
    `select ${VERSION} as version, ${ADDED} as additions from ${SCHEMA}.migrations`,
  )
  return { version: Number(found[0]?.version ?? 0), additions: Number(found[0]?.additions ?? 0) }
}

/** Additive steps have negative numbers, which earlier releases do not see. */
export const VERSION = 'coalesce(max(version) filter (where version > 0), 0)'
export const ADDED = 'coalesce(-min(version) filter (where version < 0), 0)'

/** Returns the version of pgvector as numbers, or why it is missing, with a remedy. */
export async function vectorVersion(session: Session): Promise<[major: number, minor: number] | string> {
  const installed = "select extversion from pg_extension where extname = 'vector'"
  let { rows } = await session.query(installed)
  if (rows.length === 0) {
    try {
      await session.query('create extension if not exists vector')
    } catch (error) {
      // Search is lexical only then, which the capabilities say.
      return hasCode(error, '42501')
        ? 'the user may not create the extension "vector": let an administrator run "create extension vector" in this database'
        : 'pgvector, the extension "vector", is not installed on the server'
    }
    rows = (await session.query(installed)).rows
  }
  const [major = 0, minor = 0] = String(rows[0]?.extversion ?? '0.0')
    .split('.')
    .map(Number)
  return [major, minor]
}

/** The row of a table with the vectors of one model. */
export interface SpaceRow {
  id: number
  model: string
  dimensions: number
  /** When every thought had a vector for the first time; null before, and in databases of earlier releases. */
  filled_at?: string | null
  indexed_at?: string | null
  /** How many candidates a search has to examine in the index; null before it was measured. */
  ef_search?: number | null
  /** When the first vector of a piece of a long text was stored, and their index built; absent in databases of earlier releases. */
  pieces_at?: string | null
  pieces_indexed_at?: string | null
}

/** A table with vectors of one model. */
export interface VectorTable {
  /** The number of the model. */
  id: number
  table: string
  /** The SQL cast of a parameter to the column's type. */
  cast: string
  /** The function that builds its index. */
  indexer: string
  /** True once the table has its index: later vectors are compared exactly, until the index takes them in. */
  isIndexed: boolean
}

/** The table with a vector for each text, and the one for the pieces of long texts; a database of an earlier release has no such table. */
export interface Space extends VectorTable {
  pieces?: VectorTable & { areAny: boolean }
}

/** pgvector's limit of dimensions for an index of full precision; half precision doubles it. */
const FULL_PRECISION_MAX = 2000

/**
 * Returns the table of a model's vectors, created on first use with the dimension of the embedder. Each model has its own
 * table, so that machines with different embedders can share a database, and both tables are searched while an embedder is
 * replaced.
 */
export async function openSpace(database: Database, model: string, dimensions: number): Promise<Space> {
  const open = `select ${SCHEMA}.open_space($1, $2, $3) as id`
  const id = Number((await database.query(open, [model, dimensions, typeOf(dimensions)])).rows[0]?.id)
  const { rows } = await database.query(`select to_jsonb(s) as space from ${SCHEMA}.spaces s where id = $1`, [id])
  const space: SpaceRow = rows[0]?.space ?? { id, model, dimensions }
  checkDimensions(model, space.dimensions, dimensions)
  return spaceOf(space)
}

export function spaceOf(row: Omit<SpaceRow, 'model'>): Space {
  const { id, dimensions, indexed_at: indexedAt, pieces_at: piecesAt, pieces_indexed_at: piecesIndexedAt } = row
  const of = { id, cast: typeOf(dimensions) }
  const space = {
    ...of,
    table: `${SCHEMA}.vectors_${Number(id)}`,
    indexer: 'index_space',
    isIndexed: Boolean(indexedAt),
  }
  if (piecesAt === undefined) return space
  const table = `${SCHEMA}.pieces_${Number(id)}`
  return {
    ...space,
    pieces: { ...of, table, indexer: 'index_pieces', isIndexed: Boolean(piecesIndexedAt), areAny: piecesAt !== null },
  }
}

function typeOf(dimensions: number): 'vector' | 'halfvec' {
  return dimensions > FULL_PRECISION_MAX ? 'halfvec' : 'vector'
}

/** Refuses vectors of another dimension than those that are stored. */
export function checkDimensions(model: string, stored: number, made: number): void {
  if (stored === made) return
  const what = `the database holds vectors of ${stored} dimensions for ${model}, but the embedder computes ${made}`
  throw new StoreFailure('misconfigured', `${what}: name another model, or use the embedder that filled it`)
}
