import { messageOf, rootCodeOf } from '../../shared/problem.js'
import { type FailureKind, networkFailure, StoreFailure } from '../failure.js'
import { NO_PASSWORD } from './connection.js'

/** Failure classes by prefix of SQLSTATE; the longest match counts. */
const CLASSES: [prefix: string, kind: FailureKind][] = [
  ['28', 'misconfigured'],
  ['3D', 'misconfigured'],
  ['3F', 'misconfigured'],
  ['42', 'misconfigured'],
  ['0A', 'misconfigured'],
  ['58P01', 'misconfigured'],
  ['22', 'rejected'],
  ['23', 'rejected'],
  ['54', 'rejected'],
]

/** Classifies an error of the database or of the connection to it. Unknown errors count as temporary. */
export function databaseFailure(error: unknown, place: string): StoreFailure {
  if (error instanceof StoreFailure && error.message !== NO_PASSWORD) return error
  const message = messageOf(error)
  const code = rootCodeOf(error)
  if (code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E')) return sqlFailure(code, message, place)
  if (/does not support SSL/i.test(message)) {
    return new StoreFailure(
      'misconfigured',
      `${place} does not support TLS: add ?sslmode=disable to openbrain.url to connect without it`,
    )
  }
  if (/password must be a string|no password/i.test(message)) {
    const where =
      'set it in .forge/secrets.json (for a store of your own settings in ~/.forge/secrets.json) or in OPENBRAIN_KEY'
    return new StoreFailure('misconfigured', `${place} requires a password, and none is set: ${where}`)
  }
  if (code === undefined && /timeout|terminated|closed|ended/i.test(message)) {
    return new StoreFailure('busy', `${place} did not answer: ${message}`, { isUncertain: true })
  }
  return networkFailure(error, place)
}

/** Hints for common mistakes of a first setup. */
const REMEDIES: [pattern: RegExp, remedy: string][] = [
  [/^28000.*role .* does not exist/, 'create that role, or name another user in openbrain.url'],
  [
    /^28000.*(no encryption|SSL|pg_hba)/,
    'allow this user from this machine in pg_hba.conf; the server may require TLS (sslmode)',
  ],
  [/^3D000/, 'create that database, or name another one in openbrain.url'],
  [
    /^53300/,
    'no connection is free: let its administrator raise max_connections, or put a pooler before it (docs/reference/database.md)',
  ],
  [/^55P03/, 'other statements hold its tables: try again in a moment'],
  [/^53100/, 'its disk is full: free some space; deliveries wait in the queue'],
  [/^42501.*forgotten thoughts stay/, 'only an owner of the tables removes their ids'],
  [
    /^42501.*for database/,
    'let an administrator run forge-memory store init --apply, or grant create on the database to this user',
  ],
  [/^42501/, 'let an owner grant the role of writers to this user; forge-memory store init --apply creates it'],
  [/^08P01.*startup parameter/, 'the pooler refuses a parameter; add it to its ignore_startup_parameters'],
]

function sqlFailure(code: string, message: string, place: string): StoreFailure {
  // Error messages may quote stored values, so data errors are reported by their code only.
  if (/expected \d+ dimensions,? not \d+|different vector dimensions/i.test(message)) {
    return new StoreFailure('misconfigured', `${place}: ${message}`, { status: code })
  }
  if (code === '42501' && /row-level security/.test(message)) {
    return new StoreFailure('rejected', `${place}: the project of the record was not granted to this user`, {
      status: code,
    })
  }
  const kind = CLASSES.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'busy'
  const remedy = REMEDIES.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1]
  const hint = remedy === undefined ? '' : `: ${remedy}`
  const detail = kind === 'rejected' ? `it refuses the record (${code})` : `${message} (${code})${hint}`
  return new StoreFailure(kind, `${place}: ${detail}`, { status: code, isUncertain: kind === 'busy' })
}
