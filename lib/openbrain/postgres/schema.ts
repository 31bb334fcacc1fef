import type { Client, PoolClient } from 'pg'
import { hasCode } from '../../shared/problem.js'
import { StoreFailure } from '../failure.js'
import type { Database } from './database.js'
import { LOCK, ROLES, SCHEMA } from './names.js'
import { GRANTS, SECURED } from './roles.js'
import { MIGRATIONS, SET_UP } from './tables.js'

export { SCHEMA }

/** How long a migration waits for statements that are under way: everything else on the table waits behind it. */
const LOCK_TIMEOUT = '5s'

type Session = Client | PoolClient

/**
 * Creates the tables of this release, or migrates those of the version before; an advisory lock makes one process do it. Tables that belong to the
 * role of owners are changed as that role, so that they stay its own.
 */
export async function setUpTables(session: Session): Promise<void> {
  await session.query('begin')
  try {
    await session.query('select pg_advisory_xact_lock($1)', [LOCK])
    await session.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`)
    const isOwned = await becomeOwner(session)
    await createMigrations(session)
    await session.query(SET_UP)
    if (isOwned) await session.query(`${GRANTS}\n${SECURED}`)
    await session.query('commit')
  } catch (error) {
    await session.query('rollback').catch(() => undefined)
    throw error
  }
}

/** Acts as the role of owners until the end of the transaction, when the schema belongs to it and this user is a member. */
async function becomeOwner(session: Session): Promise<boolean> {
  const { rows } = await session.query(
    `select quote_ident(r.rolname) as name from pg_namespace n join pg_roles r on r.oid = n.nspowner
      where n.nspname = $1 and r.rolname ~ '^${ROLES.owner}_' and pg_has_role(current_user, r.oid, 'member')`,
    [SCHEMA],
  )
  if (rows.length > 0) await session.query(`set local role ${rows[0].name}`)
  return rows.length > 0
}

async function createMigrations(session: Session): Promise<void> {
  // A role that may not create a schema may use one that was created for it.
  const { rows } = await session.query('select to_regnamespace($1) is not null as present', [SCHEMA])
  if (!rows[0]?.present) await session.query(`create schema ${SCHEMA}`)
  await session.query(MIGRATIONS)
}

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
  /** When every thought had a vector for the first time; null before. */
  filled_at?: string | null
  indexed_at?: string | null
  /** How many candidates a search has to examine in the index; null before it was measured. */
  ef_search?: number | null
  /** How many vectors there were when it was measured. */
  tuned_rows?: number | null
  /** When the first vector of a piece of a long text was stored, and their index built; null before. */
  pieces_at?: string | null
  pieces_indexed_at?: string | null
  /** The first id of each part of an index but the first, where it has several. */
  parts?: Partial<Record<TableKind, string[]>>
}

type TableKind = 'vectors' | 'pieces'

/** A table with vectors of one model. */
export interface VectorTable {
  /** The number of the model. */
  id: number
  table: string
  /** The SQL cast of a parameter to the column's type. */
  cast: string
  kind: TableKind
  /** The first id of each part of its index but the first. */
  parts: string[]
  /** True once the table has its index: later vectors are compared exactly, until the index takes them in. */
  isIndexed: boolean
}

/** The table with a vector for each text, and the one for the pieces of long texts. */
export interface Space extends VectorTable {
  pieces: VectorTable & { areAny: boolean }
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
  const { pieces_at: piecesAt, indexed_at: indexedAt, pieces_indexed_at: piecesIndexedAt } = row
  const pieces = { ...tableOf(row, 'pieces'), isIndexed: Boolean(piecesIndexedAt), areAny: Boolean(piecesAt) }
  return { ...tableOf(row, 'vectors'), isIndexed: Boolean(indexedAt), pieces }
}

function tableOf({ id, dimensions, parts = {} }: Omit<SpaceRow, 'model'>, kind: TableKind) {
  return { id, kind, table: `${SCHEMA}.${kind}_${Number(id)}`, cast: typeOf(dimensions), parts: parts[kind] ?? [] }
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
