// Tests the conditions of a healthy set-up of a database. It only reads.
import type { Finding } from '../store.js'
import { ROLES, SUFFIX } from './names.js'
import { HIDDEN } from './retention.js'
import { UNSOUND } from './rows.js'
import { SCHEMA, spaceOf } from './schema.js'
import type { ServerState } from './servers.js'
import { isOlder, type Survey, VECTOR_MIN } from './survey.js'
import { versionProblem } from './tables.js'
import { DIMENSIONS_MAX, hasIndex, INDEXED_FROM } from './vector-index.js'

/** The oldest version with which it is tested. */
const SERVER_MIN = 130_000
/** The version from which a filtered search scans iteratively. */
const VECTOR_ITERATIVE = [0, 8] as const
/** Clocks that differ by more give wrong expiries. */
const CLOCK_MS = 60_000
/** A round trip that makes every command slow. */
const SLOW_MS = 150
/** The number of thoughts from which the planner needs statistics, and a table of vectors its index. */
const MANY = 5000

const FACTS = `select current_setting('server_version') as server, current_setting('server_version_num')::int as number,
  current_user as role, extract(epoch from clock_timestamp()) * 1000 as clock,
  (select default_version from pg_available_extensions where name = 'vector') as available,
  has_database_privilege(current_database(), 'create') as may_create, current_database() as database,
  '${ROLES.writer}' || ${SUFFIX} as writer,
  pg_size_pretty(pg_database_size(current_database())) as size`

const TABLES = `select has_schema_privilege('${SCHEMA}', 'usage') as usage,
  (select string_agg(p, ', ') from unnest(array['select', 'insert', 'update', 'delete']) p
    where not has_table_privilege('${SCHEMA}.thoughts', p)) as denied,
  (select count(*) from ${SCHEMA}.thoughts where forgotten_at is null)::int as thoughts,
  (select reltuples from pg_class where oid = '${SCHEMA}.thoughts'::regclass)::float8 as estimate,
  (select string_agg(c.relname, ', ') from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = '${SCHEMA}'::regnamespace and not i.indisvalid) as broken,
  row_security_active('${SCHEMA}.thoughts') as secured,
  (select count(*) from ${SCHEMA}.thoughts t where ${UNSOUND})::int as unsound,
  (select string_agg(left(id, 40), ', ') from (select t.id from ${SCHEMA}.thoughts t where ${UNSOUND} order by t.id limit 3) few) as some_unsound,
  (select count(*) from ${SCHEMA}.thoughts t where ${HIDDEN})::int as hidden,
  (select coalesce(sum(n_dead_tup), 0) from pg_stat_user_tables where schemaname = '${SCHEMA}')::float8 as dead,
  (select coalesce(sum(n_live_tup), 0) from pg_stat_user_tables where schemaname = '${SCHEMA}')::float8 as live,
  (select count(*) from pg_class where relnamespace = '${SCHEMA}'::regnamespace
    and relname in ('thoughts_words', 'thoughts_project', 'thoughts_supersedes', 'thoughts_stored'))::int as indexes`

/** How far a replica may be behind before searches miss thoughts that were just stored. */
const BEHIND_SECONDS = 10

/** The server that is tested: of several, the one that takes deliveries. */
export interface Tested {
  readonly mayPrepare: boolean
  survey(): Promise<Survey>
  query(text: string): Promise<{ rows: unknown[] }>
}

/** Tests the server, the extension, the clocks, the rights and the indexes. */
export async function checkDatabase(tested: Tested): Promise<Finding[]> {
  const survey = await tested.survey()
  const started = Date.now()
  const { rows } = await tested.query(FACTS)
  const tookMs = Date.now() - started
  const facts = rows[0] as Facts
  const findings = [
    reachable(tookMs, facts),
    server(facts),
    clock(Number(facts.clock), started + tookMs / 2, tookMs),
    extension(survey, facts),
    pooler(tested),
  ]
  if (survey.version === 0) return [...findings, schemaMissing(facts)]
  if (versionProblem(survey.version) !== undefined) return [...findings, schema(survey)]
  const { rows: found } = await tested.query(TABLES)
  const tables = found[0] as Tables
  const unindexed = await unindexedSpaces(tested, survey)
  return [
    ...findings,
    schema(survey),
    permissions(survey, tables, facts),
    indexes(tables, unindexed),
    statistics(tables),
    sound(tables),
    space(tables),
    ...rowSecurity(survey, tables),
    ...spaces(survey),
  ]
}

/** One finding for each of several servers, and one when none takes deliveries or two do. */
export function checkServers(states: ServerState[]): Finding[] {
  const findings = states.map(serverState)
  const primaries = states.filter(({ isReplica }) => isReplica === false)
  if (primaries.length === 1) return findings
  if (primaries.length > 1) {
    const names = primaries.map(({ host, port }) => `${host}:${port}`).join(' and ')
    const remedy = 'stop the one that was replaced, or let it follow the other: nothing is delivered until then'
    return [...findings, bad('servers', `${names} both say that they are the primary`, remedy)]
  }
  return [
    ...findings,
    bad('servers', 'none of them takes deliveries', 'promote a replica, or start the primary server'),
  ]
}

function serverState({ host, port, isReplica, isFollowing, behindSeconds = 0 }: ServerState): Finding {
  const place = `${host}:${port}`
  if (isReplica === undefined) {
    return bad('servers', `${place} does not answer`, 'start it, or take it out of the address')
  }
  if (!isReplica) return good('servers', `${place} is the primary`)
  if (isFollowing !== true) {
    return note('servers', `${place} is a replica that receives nothing`, 'let it follow the primary again')
  }
  const message = `${place} is a replica, ${Math.round(behindSeconds)} s behind`
  if (behindSeconds <= BEHIND_SECONDS) return good('servers', message)
  return note('servers', message, 'look at its load: searches there miss what was stored since')
}

interface Facts {
  server: string
  number: number
  role: string
  clock: string
  available: string | null
  may_create: boolean
  database: string
  /** The name of the role of writers. */
  writer: string
  size: string
}

interface Tables {
  usage: boolean
  denied: string | null
  thoughts: number
  estimate: number
  broken: string | null
  secured: boolean
  /** Rows that are no thoughts, and the ids of some. */
  unsound: number
  some_unsound: string | null
  /** Thoughts that no search returns any more. */
  hidden: number
  /** Versions of rows that a vacuum removes, and rows. */
  dead: number
  live: number
  indexes: number
}

const good = (name: string, message: string): Finding => ({ name, state: 'good', message })
const note = (name: string, message: string, remedy: string): Finding => ({ name, state: 'note', message, remedy })
const bad = (name: string, message: string, remedy: string): Finding => ({ name, state: 'bad', message, remedy })

function reachable(tookMs: number, { database, size }: Facts): Finding {
  const message = `answers in ${tookMs} ms; the database ${database} has ${size}`
  if (tookMs < SLOW_MS) return good('reachable', message)
  return note('reachable', message, 'use a closer server or a replica: every search makes one round trip')
}

function server({ server: version, number }: Facts): Finding {
  if (number >= SERVER_MIN) return good('server', `PostgreSQL ${version}`)
  return bad('server', `PostgreSQL ${version} is too old`, 'use PostgreSQL 13 or newer')
}

function clock(theirs: number, ours: number, tookMs: number): Finding {
  const apart = Math.max(0, Math.abs(theirs - ours) - tookMs)
  if (apart <= CLOCK_MS) return good('clock', `the clocks agree within ${Math.ceil((apart + tookMs) / 1000)} s`)
  const seconds = Math.round(apart / 1000)
  const amount = seconds < 7200 ? `${seconds} s` : `${Math.round(seconds / 3600)} h`
  const which = ours > theirs ? 'ahead of' : 'behind'
  const message = `the clock of this machine is ${amount} ${which} that of the server: thoughts expire at the wrong time`
  return bad('clock', message, 'set both clocks by NTP')
}

function extension({ vector }: Survey, { available }: Facts): Finding {
  if (vector === undefined) {
    const remedy =
      available === null
        ? 'install pgvector on the server, for search by meaning'
        : 'let an administrator run "create extension vector" in this database'
    return note(
      'extension',
      `pgvector is not ${available === null ? 'installed on the server' : 'created in the database'}`,
      remedy,
    )
  }
  const version = `pgvector ${vector.join('.')}`
  const update = 'update it on the server, then run "alter extension vector update"'
  if (isOlder(vector, VECTOR_MIN))
    return bad('extension', `${version} is too old`, `${update}; 0.7 is the oldest that works`)
  if (!isOlder(vector, VECTOR_ITERATIVE)) return good('extension', version)
  return note('extension', `${version}: filtered searches by meaning may miss hits`, `${update}; 0.8 scans iteratively`)
}

function pooler({ mayPrepare }: Tested): Finding {
  if (mayPrepare) return good('connection', 'direct, or a pooler in session mode: statements are prepared')
  return note(
    'connection',
    'through a pooler in transaction mode: statements are not prepared, and changes of others are polled twice a second',
    'no action is needed',
  )
}

function schemaMissing({ may_create: may, role, writer }: Facts): Finding {
  if (may) return note('schema', 'the tables do not exist yet', 'run forge-memory drain, which creates them')
  return bad(
    'schema',
    'the tables do not exist, and this user may not create them',
    `let an administrator run forge-memory store init, and grant ${writer} to ${role}`,
  )
}

function schema({ version }: Survey): Finding {
  const [message, remedy] = versionProblem(version)?.split(': ') ?? []
  return message === undefined ? good('schema', `version ${version}`) : bad('schema', message, remedy ?? '')
}

function permissions({ isReplica }: Survey, { denied }: Tables, { role, writer }: Facts): Finding {
  if (isReplica)
    return note('permissions', 'a replica: searches work, deliveries do not', 'deliver to the primary server')
  if (denied === null) return good('permissions', `${role} may read and write`)
  return note(
    'permissions',
    `${role} may not ${denied}: searches work, deliveries do not`,
    `grant ${writer} to ${role}, after forge-memory store init`,
  )
}

/** The models whose vectors should have an index, because they are many and complete, and have none. */
async function unindexedSpaces(tested: Tested, { spaces }: Survey): Promise<string[]> {
  const missing: string[] = []
  for (const row of spaces.filter((space) => space.dimensions <= DIMENSIONS_MAX)) {
    const { table, parts } = spaceOf(row)
    const { rows } = await tested.query(
      `select (select count(*) from (select from ${table} limit ${INDEXED_FROM}) part) >= ${INDEXED_FROM} and not ${hasIndex(`'${table}'`, parts.length)}
         and ${done(table)} as lacks`,
    )
    if ((rows[0] as { lacks: boolean }).lacks) missing.push(row.model)
  }
  return missing
}

/** Everything but a few that the embedder may have refused. */
const done = (table: string) => `(select count(*) from ${SCHEMA}.thoughts t where forgotten_at is null
  and not exists (select 1 from ${table} v where v.id = t.id)) <= ${INDEXED_FROM} / 100`

function indexes({ broken, indexes: count }: Tables, unindexed: string[]): Finding {
  if (unindexed.length > 0) {
    const message = `the vectors of ${unindexed.join(', ')} have none: every search by meaning compares all of them`
    const remedy =
      'run forge-memory embed, which builds it, or says why it cannot: it needs memory and disk of the server'
    return bad('indexes', message, remedy)
  }
  if (broken !== null) return bad('indexes', `${broken}: not valid`, `run "reindex schema ${SCHEMA}"`)
  if (count < 4)
    return bad('indexes', 'some are missing', 'compare them with those of a new database, and create the missing ones')
  return good('indexes', 'all exist and are valid')
}

function statistics({ thoughts, estimate }: Tables): Finding {
  const isKnown = thoughts < MANY || (estimate > thoughts / 4 && estimate < thoughts * 4)
  if (isKnown) return good('statistics', `${thoughts} thoughts`)
  const message = `the statistics of the server are outdated (${Math.max(0, Math.round(estimate))} of ${thoughts} thoughts): searches by words are slow`
  return note('statistics', message, `run "analyze ${SCHEMA}.thoughts"; autovacuum does it on a healthy server`)
}

function sound({ unsound, some_unsound: some }: Tables): Finding {
  if (unsound === 0) return good('rows', 'each is a thought')
  const what = `${unsound} ${unsound === 1 ? 'row is not a thought' : 'rows are not thoughts'} (${some}): searches leave them out`
  return bad(
    'rows',
    what,
    `correct them, or let an owner delete them: docs/reference/teams.md says what a row has to be`,
  )
}

/** From this share on, what no search returns is worth a removal. */
const HIDDEN_SHARE = 0.5

function space({ thoughts, hidden, dead, live }: Tables): Finding {
  const message = `${hidden} of ${thoughts} thoughts are returned by no search, and ${Math.round(dead)} versions of ${Math.round(live)} rows wait for a vacuum`
  if (thoughts >= MANY && hidden >= thoughts * HIDDEN_SHARE)
    return note('space', message, 'forge-memory store retain removes what was replaced more than 90 days ago')
  if (live >= MANY && dead > live)
    return note('space', message, `run "vacuum analyze" in the schema ${SCHEMA}, and look at autovacuum`)
  return good('space', message)
}

/** Says nothing where everyone sees everything. */
function rowSecurity({ isRowSecured }: Survey, { secured }: Tables): Finding[] {
  const name = 'row security'
  const again = 'let an owner run forge-memory store init --apply --row-security'
  if (!secured) return []
  if (isRowSecured) return [good(name, 'only granted projects are seen')]
  const message = 'searches by words read every thought, because the function that looks them up is missing'
  return [note(name, message, again)]
}

function spaces({ spaces: rows }: Survey): Finding[] {
  return rows.map(({ model, dimensions, filled_at: at }) => {
    const message = `${model}, ${dimensions} dimensions${at ? '' : ', not complete yet'}`
    return at ? good('vectors', message) : note('vectors', message, 'run forge-memory embed')
  })
}
