import { closeSync, readFileSync, realpathSync } from 'node:fs'
import { userInfo } from 'node:os'
import type { ClientConfig, PoolConfig } from 'pg'
import { variable } from '../../shared/environment.js'
import { openRegular } from '../../shared/regular-file.js'
import { StoreFailure } from '../failure.js'
import { rememberKey, rememberKeysIn } from '../foreign-text.js'
import { endpointOf, isLoopback } from '../settings.js'

const CONNECTIONS_MAX = 4
/** The error that the driver receives when there is no password; `databaseFailure` explains it. */
export const NO_PASSWORD = 'no password'

/** Builds the connection settings of the driver from a URL. The password is never part of the URL. */
export function connectionOf(url: URL, password: string | undefined, timeoutMs: number): PoolConfig {
  const { host, port } = endpointOf(url)
  const config: PoolConfig = {
    host,
    port,
    database: decodeURIComponent(url.pathname.replace(/^\//, '')) || 'postgres',
    ssl: tlsOf(url, host),
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: timeoutMs,
    idleTimeoutMillis: 10_000,
    // The server's limit is reached first. The driver's is for a server that stopped responding.
    statement_timeout: timeoutMs,
    query_timeout: timeoutMs * 2,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: 'forge-memory',
  }
  if (url.username !== '') config.user = decodeURIComponent(url.username)
  const known = password ?? variable('PGPASSWORD')
  rememberKey(known)
  rememberKeysIn(url)
  config.password = known ?? (() => passwordFromFile(config))
  return config
}

type FindPassword = (endpoint: object, found: (password: string | undefined) => void) => void

/**
 * Reads `~/.pgpass`, only when the server wants a password. A missing entry is an error, because the driver would wait
 * forever.
 */
async function passwordFromFile({ host, port, database, user }: PoolConfig): Promise<string> {
  // `pgpass` has no type declarations.
  const { default: find } = (await import('pgpass' as string)) as { default: FindPassword }
  const endpoint = { host, port, database, user: user ?? variable('PGUSER') ?? userInfo().username }
  const found = await new Promise<string | undefined>((resolve) => void find(endpoint, resolve))
  if (found === undefined) throw new StoreFailure('misconfigured', NO_PASSWORD)
  rememberKey(found)
  return found
}

/** TLS is required and the certificate is verified, except for this machine, unless the URL says otherwise. */
export function tlsOf(url: URL, host: string): NonNullable<ClientConfig['ssl']> {
  const mode = url.searchParams.get('sslmode') ?? (isLocal(host) ? 'disable' : 'verify-full')
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

function isLocal(host: string): boolean {
  return host.startsWith('/') || isLoopback(host)
}

function readCertificate(path: string): string {
  let file: number | undefined
  try {
    // A project's file may contain this path, and opening a FIFO would block.
    file = openRegular(realpathSync(path))
    if (file !== undefined) return readFileSync(file, 'utf8')
  } catch {
    // Treated as a missing file.
  } finally {
    if (file !== undefined) closeSync(file)
  }
  throw new StoreFailure('misconfigured', 'sslrootcert in openbrain.url names a file that cannot be read')
}

/** A pooler refuses startup parameters that it does not know. Without them, only the driver's limits apply. */
export async function withPoolerFallback<T>(connection: PoolConfig, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const isRefused = error instanceof Error && /unsupported startup parameter/i.test(error.message)
    if (!isRefused || connection.statement_timeout === undefined) throw error
    delete connection.statement_timeout
    return work()
  }
}
