import { closeSync, readFileSync, realpathSync } from 'node:fs'
import { userInfo } from 'node:os'
import type { ClientConfig, PoolConfig } from 'pg'
import { openRegular } from '../../shared/regular-file.js'
import { StoreFailure } from '../failure.js'
import { rememberKey, rememberKeysIn } from '../foreign-text.js'
import { endpointOf, isLoopback } from '../settings.js'

const CONNECTIONS_MAX = 4
/** The error that the driver gets in place of a password; `databaseFailure` explains it. */
export const NO_PASSWORD = 'no password'

/** Makes the driver's settings of an address. The password is never part of the address. */
export function connectionOf(url: URL, password: string | undefined, timeoutMs: number): PoolConfig {
  const { host, port } = endpointOf(url)
  const config: PoolConfig = {
    host,
    port,
    database: decodeURIComponent(url.pathname.replace(/^\//, '')) || 'postgres',
    ssl: tlsOf(url),
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: timeoutMs,
    idleTimeoutMillis: 10_000,
    // The server gives up first; the driver's own limit is for a server that says nothing any more.
    statement_timeout: timeoutMs,
    query_timeout: timeoutMs * 2,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: 'forge-memory',
  }
  if (url.username !== '') config.user = decodeURIComponent(url.username)
  const known = password ?? process.env.PGPASSWORD
  rememberKey(known)
  rememberKeysIn(url)
  config.password = known ?? (() => passwordFromFile(config))
  return config
}

type FindPassword = (asked: object, found: (password: string | undefined) => void) => void

/** Asked only by a server that wants one, of `~/.pgpass`. Without an answer the driver would wait for ever. */
async function passwordFromFile({ host, port, database, user }: PoolConfig): Promise<string> {
  // It has no types of its own.
  const { default: find } = (await import('pgpass' as string)) as { default: FindPassword }
  const asked = { host, port, database, user: user ?? process.env.PGUSER ?? userInfo().username }
  const found = await new Promise<string | undefined>((resolve) => void find(asked, resolve))
  if (found === undefined) throw new StoreFailure('misconfigured', NO_PASSWORD)
  rememberKey(found)
  return found
}

/** Without a word about it, TLS is used and checked for every host but this machine. */
function tlsOf(url: URL): NonNullable<ClientConfig['ssl']> {
  const mode = url.searchParams.get('sslmode') ?? (isHere(url) ? 'disable' : 'verify-full')
  const certificate = url.searchParams.get('sslrootcert')
  const ca = certificate === null ? {} : { ca: readCertificate(certificate) }
  switch (mode) {
    case 'disable':
      return false
    case 'no-verify':
      return { rejectUnauthorized: false }
    case 'require':
    case 'verify-ca':
    case 'verify-full':
      return { rejectUnauthorized: true, ...ca }
    default:
      throw new StoreFailure('misconfigured', 'sslmode in openbrain.url is not one of disable, no-verify, verify-full')
  }
}

function isHere(url: URL): boolean {
  const { host, isSocket } = endpointOf(url)
  return isSocket || isLoopback(host)
}

function readCertificate(path: string): string {
  let file: number | undefined
  try {
    // A project's file may name it: a FIFO would keep the call waiting.
    file = openRegular(realpathSync(path))
    if (file !== undefined) return readFileSync(file, 'utf8')
  } catch {
    // As if it were not there.
  } finally {
    if (file !== undefined) closeSync(file)
  }
  throw new StoreFailure('misconfigured', 'sslrootcert in openbrain.url names a file that cannot be read')
}
