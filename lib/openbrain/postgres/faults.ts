import { messageOf, rootCodeOf } from '../../shared/problem.js'
import { type FailureKind, networkFailure, StoreFailure } from '../failure.js'
import { NO_PASSWORD } from './connection.js'

/** Classes of SQLSTATE, the longest prefix that fits counts. */
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

/** Turns what the database or the way to it threw into a failure. Everything unknown passes. */
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
    const where = 'set it in .forge/secrets.json or in OPENBRAIN_KEY'
    return new StoreFailure('misconfigured', `${place} requires a password, and none is set: ${where}`)
  }
  if (code === undefined && /timeout|terminated|closed|ended/i.test(message)) {
    return new StoreFailure('busy', `${place} did not answer: ${message}`, { isUncertain: true })
  }
  return networkFailure(error, place)
}

/** What to do about the mistakes of a first set-up. */
const REMEDIES: [pattern: RegExp, remedy: string][] = [
  [/^28P01/, 'set the right password in .forge/secrets.json or in OPENBRAIN_KEY'],
  [/^28000.*role .* does not exist/, 'create that role, or name another user in openbrain.url'],
  [
    /^28000.*(no encryption|SSL|pg_hba)/,
    'allow this user from this machine in pg_hba.conf; the server may require TLS (sslmode)',
  ],
  [/^3D000/, 'create that database, or name another one in openbrain.url'],
  [/^42501/, 'grant the user create on the database: the tables live in a schema of their own'],
  [/^08P01.*startup parameter/, 'the pooler refuses a parameter; add it to its ignore_startup_parameters'],
]

function sqlFailure(code: string, message: string, place: string): StoreFailure {
  // The text of an error may quote a stored value; of data errors only the code is shown.
  if (/expected \d+ dimensions,? not \d+|different vector dimensions/i.test(message)) {
    return new StoreFailure('misconfigured', `${place}: ${message}`, { status: code })
  }
  const kind = CLASSES.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'busy'
  const remedy = REMEDIES.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1]
  const hint = remedy === undefined ? '' : `: ${remedy}`
  const said = kind === 'rejected' ? `it refuses the record (${code})` : `${message} (${code})${hint}`
  return new StoreFailure(kind, `${place}: ${said}`, { status: code, isUncertain: kind === 'busy' })
}
