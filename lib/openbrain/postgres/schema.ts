import type { Client, PoolClient } from 'pg'
import { hasCode } from '../../shared/problem.js'
import { StoreFailure } from '../failure.js'

/** All our tables are in a schema of our own, so that they cannot collide with others. */
export const SCHEMA = 'forge_memory'
/** The channel on which stored thoughts are announced. */
export const CHANNEL = 'forge_memory'
/** Two sessions must not migrate at once; the number only has to be ours. */
const LOCK = 7_306_412_001

/** Leaves nothing of a row but its id. */
export const CLEARED_COLUMNS = `content = '', project = '', type = '', source = '', created_by = '', captured_at = null,
  expires_at = null, supersedes = null, tags = '{}', confidence = null, metadata = '{}', stored_by = '',
  stored_at = clock_timestamp(), forgotten_at = coalesce(t.forgotten_at, clock_timestamp())`

/** The thoughts that `first` means, and all that these took the place of within their projects, also what is not there yet. */
export function forgottenWith(first: string): string {
  return `chain (id, supersedes, project) as (
    select t.id, t.supersedes, t.project from ${SCHEMA}.thoughts t where ${first}
    union
    select c.supersedes, o.supersedes, c.project from chain c left join ${SCHEMA}.thoughts o on o.id = c.supersedes
    where c.supersedes is not null and (o.id is null or o.project = c.project))`
}

/** What turns an empty database into a memory, step by step. A step that was released is never changed. */
const STEPS: string[] = [
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
  // What was forgotten had kept more than its id.
  `with recursive ${forgottenWith('t.forgotten_at is not null')}
   insert into ${SCHEMA}.thoughts as t (id, content, forgotten_at)
   select distinct id, '', clock_timestamp() from chain order by id
   on conflict (id) do update set ${CLEARED_COLUMNS}`,
  // Invalidates the cached answers of other machines. It changes in the same transaction as the data, and for manual changes
  // as well.
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
]

function countingChanges(table: string): string {
  return `create trigger changed after insert or update or delete or truncate on ${table}
    for each statement execute function ${SCHEMA}.count_change()`
}

type Session = Client | PoolClient

/** Migrates the schema to the version of this release; an advisory lock makes one process do it. */
export async function migrate(session: Session): Promise<void> {
  await session.query('begin')
  try {
    await session.query('select pg_advisory_xact_lock($1)', [LOCK])
    const version = await versionOf(session)
    if (version > STEPS.length) {
      throw new StoreFailure('misconfigured', `the database was set up by a newer forge-memory (version ${version})`)
    }
    for (const [at, step] of STEPS.entries()) {
      if (at < version) continue
      await session.query(step)
      await session.query(`insert into ${SCHEMA}.migrations (version) values ($1)`, [at + 1])
    }
    await session.query('commit')
  } catch (error) {
    await session.query('rollback').catch(() => undefined)
    throw error
  }
}

async function versionOf(session: Session): Promise<number> {
  const { rows } = await session.query('select to_regclass($1) is not null as present', [`${SCHEMA}.migrations`])
  if (!rows[0]?.present) {
    // Who may not create one may have been given this one.
    const { rows: schema } = await session.query('select to_regnamespace($1) is not null as present', [SCHEMA])
    if (!schema[0]?.present) await session.query(`create schema ${SCHEMA}`)
    await session.query(
      `create table ${SCHEMA}.migrations (version int primary key, applied_at timestamptz not null default now())`,
    )
  }
  const { rows: found } = await session.query(`select coalesce(max(version), 0) as version from ${SCHEMA}.migrations`)
  return Number(found[0]?.version ?? 0)
}

/** The installed version of pgvector as numbers, or why there is none and what to do about it. */
export async function vectorVersion(session: Session): Promise<[major: number, minor: number] | string> {
  const installed = "select extversion from pg_extension where extname = 'vector'"
  let { rows } = await session.query(installed)
  if (rows.length === 0) {
    try {
      await session.query('create extension if not exists vector')
    } catch (error) {
      // Search then goes by words, which the capabilities tell.
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

/** Where the vectors of one model are. */
export interface Space {
  table: string
  /** How a parameter becomes a vector of the column's type. */
  cast: string
}

/** An index over more numbers than this is refused; half precision doubles it. */
const FULL_PRECISION_MAX = 2000
const HALF_PRECISION_MAX = 4000

/**
 * Returns the table for the vectors of a model, made at its first use and sized from the embedder. Every model has its own,
 * so that machines with different embedders share one database, and a new embedder replaces an old one while both are searched.
 */
export async function openSpace(session: Session, model: string, dimensions: number): Promise<Space> {
  const type = dimensions > FULL_PRECISION_MAX ? 'halfvec' : 'vector'
  await session.query('begin')
  try {
    await session.query('select pg_advisory_xact_lock($1)', [LOCK])
    const { rows } = await session.query(`select id, dimensions from ${SCHEMA}.spaces where model = $1`, [model])
    const id = rows[0]?.id ?? (await createSpace(session, model, dimensions, type))
    checkDimensions(model, Number(rows[0]?.dimensions ?? dimensions), dimensions)
    await session.query('commit')
    return { table: `${SCHEMA}.vectors_${Number(id)}`, cast: type }
  } catch (error) {
    await session.query('rollback').catch(() => undefined)
    throw error
  }
}

async function createSpace(session: Session, model: string, dimensions: number, type: string): Promise<number> {
  const insert = `insert into ${SCHEMA}.spaces (model, dimensions) values ($1, $2) returning id`
  const id = Number((await session.query(insert, [model, dimensions])).rows[0]?.id)
  const table = `${SCHEMA}.vectors_${id}`
  await session.query(`create table ${table} (
    id text primary key references ${SCHEMA}.thoughts on delete cascade,
    embedding ${type}(${Number(dimensions)}) not null)`)
  await session.query(countingChanges(table))
  if (dimensions <= HALF_PRECISION_MAX) {
    await session.query(`create index on ${table} using hnsw (embedding ${type}_cosine_ops)`)
  }
  return id
}

function checkDimensions(model: string, stored: number, made: number): void {
  if (stored === made) return
  const what = `the database holds vectors of ${stored} numbers for ${model}, but the embedder makes ${made}`
  throw new StoreFailure('misconfigured', `${what}: name another model, or use the embedder that filled it`)
}
