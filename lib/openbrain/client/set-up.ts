// The set-up of a shared store by its administrator and by each of its users.
import { findProject, type ProjectOptions } from '../../native.js'
import { projectOrNone } from '../../shared/no-project.js'
import { problem } from '../../shared/problem.js'
import { StoreFailure } from '../failure.js'
import type { TakenAddress } from '../postgres/address.js'
import type { Database } from '../postgres/database.js'
import type { InitOptions } from '../postgres/roles.js'
import { reach } from '../reach.js'
import { userSecretsPath, writeUserSecret } from '../secrets.js'
import { EMBEDDED_PLACE, placeOf, readSettings, type StoreSettings, validSettings } from '../settings.js'
import { requireTrust, untrusted } from '../trust.js'
import { userSettingsPath, writeUserStore } from '../user-settings.js'

/** The SQL that creates the tables and the roles of a shared store. Nothing is connected. */
export async function storeScript(options: InitOptions = {}): Promise<string> {
  const { initScript } = await import('../postgres/roles.js')
  return initScript(options)
}

/** Runs that SQL in the database of the project's settings, and returns the address, and the name of the role of writers there. */
export async function initStore({
  rowSecurity = false,
  ...options
}: ProjectOptions & InitOptions = {}): Promise<{ place: string; writer: string }> {
  try {
    const settings = readSettings(projectOrNone(options))
    const { target } = settings
    if (target.backend !== 'postgres') {
      throw problem(
        'UNSUPPORTED',
        `roles are for PostgreSQL; this project uses the ${target.backend} store`,
        'name a database with forge-memory store use',
      )
    }
    requireTrust(settings)
    const sql = await storeScript({ rowSecurity })
    const { ROLES, SUFFIX } = await import('../postgres/names.js')
    const { rows } = await withDatabase({ ...settings, target }, async (database) => {
      await database.withSession((session) => session.query(sql))
      return database.query(`select '${ROLES.writer}' || ${SUFFIX} as writer`)
    })
    return { place: placeOf(target.url), writer: String(rows[0]?.writer) }
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error
    throw problem('IO', error.message, 'forge-memory store init --print-sql prints the statements for an administrator')
  }
}

type PostgresSettings = StoreSettings & { target: Extract<StoreSettings['target'], { backend: 'postgres' }> }

async function withDatabase<T>({ target, timeoutMs }: PostgresSettings, work: (database: Database) => Promise<T>) {
  const [{ connectionOf }, { Database }, { databaseFailure }] = await Promise.all([
    import('../postgres/connection.js'),
    import('../postgres/database.js'),
    import('../postgres/database-failure.js'),
  ])
  const database = new Database(connectionOf(target.url, target.password, timeoutMs))
  try {
    return await work(database)
  } catch (error) {
    throw databaseFailure(error, placeOf(target.url))
  } finally {
    await database.close()
  }
}

/** Tables of another version than that of this release. */
export interface OtherTables {
  place: string
  /** What they are, and what makes them usable. */
  problem: string
}

/** Says whether the tables of a project's database are of another version; `undefined` when they are not, or when it cannot be asked now. */
export function otherTables(options: ProjectOptions): Promise<OtherTables | undefined> {
  return withTables(options, async () => undefined)
}

/** Migrates tables of the version before, as their owner. Returns where, when it did. */
export async function migrateTables(options: ProjectOptions): Promise<string | undefined> {
  const { setUpTables } = await import('../postgres/schema.js')
  let isDone = false
  const found = await withTables(options, async (database) => {
    await database.withSession(setUpTables)
    isDone = true
  })
  return isDone ? found?.place : undefined
}

async function withTables(options: ProjectOptions, onOther: (database: Database) => Promise<void>) {
  const settings = validSettings(findProject(options))
  if (settings === undefined || untrusted(settings).length > 0) return undefined
  const { target, reachTimeoutMs } = settings
  if (target.backend !== 'postgres') return undefined
  const [{ survey }, { versionProblem }] = await Promise.all([
    import('../postgres/survey.js'),
    import('../postgres/tables.js'),
  ])
  try {
    await reach(target, reachTimeoutMs)
    return await withDatabase({ ...settings, target }, async (database): Promise<OtherTables | undefined> => {
      const { version } = await survey((text) => database.query(text))
      const problem = version === 0 ? undefined : versionProblem(version)
      if (problem === undefined) return undefined
      await onOther(database)
      return { place: placeOf(target.url), problem }
    })
  } catch (error) {
    // The finding stays: of a store that is away, or of a user who is not the owner.
    if (error instanceof StoreFailure) return undefined
    throw error
  }
}

/** Takes an address of a database apart, without writing anything. */
export async function readAddress(text: string): Promise<TakenAddress> {
  const { takeAddress } = await import('../postgres/address.js')
  try {
    return takeAddress(text)
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error
    throw problem('INVALID_INPUT', error.message, 'quote it in the shell: forge-memory store use "$DATABASE_URL"')
  }
}

export interface UsedStore {
  place: string
  written: string[]
}

/** Makes a database the store of all projects of this user that name none. */
export function useStore({ url, password }: TakenAddress): UsedStore {
  try {
    writeUserStore(url)
    if (password !== undefined) writeUserSecret('openbrain', password)
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error
    throw problem('IO', error.message)
  }
  const written = [userSettingsPath(), ...(password === undefined ? [] : [userSecretsPath()])]
  const place = URL.canParse(url) ? `${placeOf(new URL(url))}${new URL(url).pathname}` : EMBEDDED_PLACE
  return { place, written }
}
