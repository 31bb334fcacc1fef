// The survey of a database, in one statement: schema, extension, vector tables, and rights.
import type { QueryResult } from 'pg'
import { hasCode, messageOf } from '../../shared/problem.js'
import { StoreFailure } from '../failure.js'
import { ROLES, SUFFIX } from './names.js'
import { SCHEMA, type SpaceRow } from './schema.js'
import { NO_TABLES } from './sql.js'
import { VERSION_OF, versionProblem } from './tables.js'

/** The facts about a database that a client needs before it searches or writes. */
export interface Survey {
  /** The version of the schema; 0 when there is none that this user can read. */
  version: number
  vector: [major: number, minor: number] | undefined
  spaces: SpaceRow[]
  isReplica: boolean
  mayWrite: boolean
  /** True when row security hides rows from this user, and words can be looked up past it. */
  isRowSecured: boolean
  /** The process of the server that ran the statement. Behind a pooler it is not the one that the connection was told. */
  pid: number
}

/** The columns that every answer repeats, so that a client notices a new vector table without asking. */
export const SPACES = `(select coalesce(jsonb_agg(to_jsonb(s)), '[]') from ${SCHEMA}.spaces s)`

const SURVEY = `select (select ${VERSION_OF} from ${SCHEMA}.migrations) as version,
  (select extversion from pg_extension where extname = 'vector') as vector,
  ${SPACES} as spaces, pg_is_in_recovery() as replica, pg_backend_pid() as pid,
  has_table_privilege('${SCHEMA}.thoughts', 'insert') as writable,
  row_security_active('${SCHEMA}.thoughts') and to_regprocedure('${SCHEMA}.matching(tsquery,text[],int)') is not null as secured`

/** Without the tables, only the server can be asked. */
const BARE = `select (select extversion from pg_extension where extname = 'vector') as vector,
  pg_is_in_recovery() as replica, pg_backend_pid() as pid`

type Query = (text: string) => Promise<QueryResult>

export async function survey(query: Query): Promise<Survey> {
  try {
    return surveyOf((await query(SURVEY)).rows[0])
  } catch (error) {
    if (hasCode(error, '42501')) throw await naming(error, query)
    // There are no tables.
    if (!hasCode(error, ...NO_TABLES)) throw error
    return surveyOf((await query(BARE)).rows[0])
  }
}

const MISSING = `select current_user || ' is no member of ' || name as what from (select '${ROLES.writer}' || ${SUFFIX} as name) writer
  where to_regrole(quote_ident(name)) is not null`

/** Says of which role this user would have to be a member, when it exists. */
async function naming(error: unknown, query: Query): Promise<unknown> {
  const what = (await query(MISSING)).rows[0]?.what
  return what === undefined ? error : Object.assign(error as Error, { message: `${messageOf(error)}; ${what}` })
}

/** Refuses tables of another version than that of this release. */
export function refuseOther(found: Survey, place: string): Survey {
  const problem = found.version === 0 ? undefined : versionProblem(found.version)
  if (problem !== undefined) throw new StoreFailure('misconfigured', `${place}: ${problem}`)
  return found
}

function surveyOf(row: Record<string, unknown>): Survey {
  const { version, vector, spaces, replica, pid, writable, secured } = row
  return {
    version: Number(version ?? 0),
    vector: typeof vector === 'string' ? versionOf(vector) : undefined,
    spaces: (spaces as SpaceRow[] | undefined) ?? [],
    isReplica: replica === true,
    mayWrite: writable !== false,
    isRowSecured: secured === true,
    pid: Number(pid),
  }
}

export function versionOf(text: string): [major: number, minor: number] {
  const [major = 0, minor = 0] = text.split('.').map(Number)
  return [major, minor]
}

/** The oldest version of pgvector that works: it has vectors of half precision. */
export const VECTOR_MIN = [0, 7] as const

type Version = readonly [major: number, minor: number]

export function isOlder([major, minor]: Version, [least, smaller]: Version): boolean {
  return major < least || (major === least && minor < smaller)
}

/** Why there is no search by meaning in a database. */
export function vectorProblem(version: Version | undefined): string | undefined {
  if (version === undefined) return 'pgvector, the extension "vector", is not installed in the database'
  if (!isOlder(version, VECTOR_MIN)) return undefined
  return `pgvector ${version.join('.')} is too old: update it on the server, then run "alter extension vector update"`
}
