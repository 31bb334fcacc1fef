// The set-up of a shared store by its administrator and by each of its users.
import type { ProjectOptions } from '../../native.js'
import { projectOrNone } from '../../shared/no-project.js'
import { problem } from '../../shared/problem.js'
import { StoreFailure } from '../failure.js'
import { type TakenAddress, takeAddress } from '../postgres/address.js'
import type { InitOptions } from '../postgres/roles.js'
import { userSecretsPath, writeUserSecret } from '../secrets.js'
import { EMBEDDED_PLACE, placeOf, readSettings } from '../settings.js'
import { requireTrust } from '../trust.js'
import { userSettingsPath, writeUserStore } from '../user-settings.js'

/** The SQL that creates the tables and the roles of a shared store. Nothing is connected. */
export async function storeScript(options: InitOptions = {}): Promise<string> {
  const [{ initScript }, { STEPS }] = await Promise.all([
    import('../postgres/roles.js'),
    import('../postgres/schema.js'),
  ])
  return initScript(STEPS, options)
}

/** Runs that SQL in the database of the project's settings, and returns the address. */
export async function initStore({
  rowSecurity = false,
  ...options
}: ProjectOptions & InitOptions = {}): Promise<string> {
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
    const [{ connectionOf }, { Database }, { databaseFailure }] = await Promise.all([
      import('../postgres/connection.js'),
      import('../postgres/database.js'),
      import('../postgres/database-failure.js'),
    ])
    const database = new Database(connectionOf(target.url, target.password, settings.timeoutMs))
    try {
      await database.withSession(async (session) => session.query(await storeScript({ rowSecurity })))
    } catch (error) {
      throw databaseFailure(error, placeOf(target.url))
    } finally {
      await database.close()
    }
    return placeOf(target.url)
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error
    throw problem('IO', error.message, 'forge-memory store init --print-sql prints the statements for an administrator')
  }
}

/** Takes an address of a database apart, without writing anything. */
export function readAddress(text: string): TakenAddress {
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
  return { place: URL.canParse(url) ? placeOf(new URL(url)) : EMBEDDED_PLACE, written }
}
