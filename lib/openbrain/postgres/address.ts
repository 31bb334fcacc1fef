// A database address as hosting providers hand it out (`DATABASE_URL`), taken apart: the password goes to the secrets file, and
// parameters that only other drivers know are dropped.
import { decoded } from '../../shared/json.js'
import { StoreFailure } from '../failure.js'
import { rememberKeysIn } from '../foreign-text.js'
import { DATABASE_PARAMETERS } from '../settings.js'

/** Parameters of libpq, Prisma and poolers that change nothing here: TLS is required anyway, and limits are settings of their own. */
const DROPPED = new Set([
  ...[
    'channel_binding',
    'connect_timeout',
    'gssencmode',
    'sslnegotiation',
    'target_session_attrs',
    'keepalives',
    'options',
  ],
  ...[
    'pgbouncer',
    'connection_limit',
    'pool_timeout',
    'statement_cache_size',
    'prepareThreshold',
    'schema',
    'supa',
    'uselibpqcompat',
  ],
])
/** Modes of libpq that would accept a connection without TLS; here they mean a verified one. */
const WEAK_MODES = new Set(['allow', 'prefer'])

export interface TakenAddress {
  /** The address without its password. */
  url: string
  password: string | undefined
  /** The names of the parameters that were dropped. */
  dropped: string[]
}

/** The embedded store: a file of the user. */
const FILE = 'file'

/** Takes an address apart. Throws `misconfigured` for anything but a database address, or `file`. */
export function takeAddress(text: string): TakenAddress {
  if (text.trim() === FILE) return { url: FILE, password: undefined, dropped: [] }
  const url = parsed(text.trim())
  rememberKeysIn(url)
  const password = url.password === '' ? (url.searchParams.get('password') ?? undefined) : decodedPart(url.password)
  url.password = ''
  url.searchParams.delete('password')
  url.hash = ''
  const dropped = [...url.searchParams.keys()].filter((name) => DROPPED.has(name))
  if (WEAK_MODES.has(url.searchParams.get('sslmode') ?? '')) dropped.push('sslmode')
  for (const name of dropped) url.searchParams.delete(name)
  const user = url.searchParams.get('user')
  if (user !== null && url.username === '' && url.host !== '') {
    url.username = user
    url.searchParams.delete('user')
  }
  const unknown = [...url.searchParams.keys()].find((name) => !DATABASE_PARAMETERS.includes(name))
  if (unknown !== undefined)
    throw new StoreFailure('misconfigured', `the address has the parameter ${unknown}, which is not known: remove it`)
  return { url: url.href, password, dropped }
}

function parsed(text: string): URL {
  const quoted = /^(["'])(.*)\1$/.exec(text)?.[2] ?? text
  const url = URL.canParse(quoted) ? new URL(quoted) : undefined
  if (url !== undefined ? isCutShort(url) : /^postgres(ql)?:\/\/.*@/.test(quoted)) throw unwritten()
  if (url !== undefined && /^postgres(ql)?:$/.test(url.protocol)) return url
  throw new StoreFailure(
    'misconfigured',
    'expected the address of a database: postgres://user:password@host:port/database, or "file"',
  )
}

/** A slash, question mark or hash in a password ends the host as it is read: the rest of the password, up to the @, comes after it. */
function isCutShort({ pathname, search, hash }: URL): boolean {
  return pathname.includes('@') || hash.includes('@') || /^[^=]*@/.test(search)
}

function unwritten(): StoreFailure {
  return new StoreFailure(
    'misconfigured',
    'the password of the address has a character that ends it: write / as %2F, # as %23, ? as %3F, @ as %40 and % as %25',
  )
}

function decodedPart(text: string): string {
  const value = decoded(text)
  if (value === undefined) throw unwritten()
  return value
}
