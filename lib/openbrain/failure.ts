import { rootCodeOf } from '../shared/problem.js'
import { foreignText } from './foreign-text.js'
import type { OutcomeKind } from './store.js'

export type FailureKind = Exclude<OutcomeKind, 'delivered' | 'gone' | 'failed'>

/** Why a store refused or failed, and the class of that failure. Its text contains no key, whatever its source. */
export class StoreFailure extends Error {
  readonly kind: FailureKind
  /** The HTTP status or the database's code, where there was one. */
  readonly status: number | string | undefined
  /** True when the request may have done its work although no answer came. */
  readonly isUncertain: boolean
  /** True when the store was not reached at all, or said that it takes nothing at present: no record is to blame. */
  readonly isAway: boolean

  constructor(kind: FailureKind, message: string, details: FailureDetails = {}) {
    super(foreignText(message, REASON_CHARS_MAX))
    this.name = 'StoreFailure'
    this.kind = kind
    this.status = details.status
    this.isUncertain = details.isUncertain ?? false
    this.isAway = details.isAway ?? false
  }
}

interface FailureDetails {
  status?: number | string
  isUncertain?: boolean
  isAway?: boolean
}

const REASON_CHARS_MAX = 500

/** Codes of the network and of TLS that a person must see to; every other failure to connect passes. */
const LASTING = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'EPROTO',
])

const AUTHORITY = 'nobody known has signed its certificate'
/** What to do about them, for a database and for a server. */
const TLS_REMEDIES: [codes: RegExp, database: string, server: string][] = [
  [
    /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/,
    `${AUTHORITY}: name the file of its authority with ?sslrootcert=`,
    `${AUTHORITY}: name the file of its authority in NODE_EXTRA_CA_CERTS`,
  ],
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, 'renew its certificate', 'renew its certificate'],
  [
    /ALTNAME/,
    'its certificate is for another host name: use that one in openbrain.url',
    'its certificate is for another host name: use that one in openbrain.url',
  ],
  [/WRONG_VERSION_NUMBER|EPROTO/, 'it speaks no TLS: ?sslmode=disable does without', 'it speaks no TLS: use http://'],
]

function remedyFor(code: string | undefined, place: string): string {
  const found = TLS_REMEDIES.find(([codes]) => codes.test(code ?? ''))
  if (found === undefined) return ''
  return `: ${/^postgres/.test(place) ? found[1] : found[2]}`
}

/** Where the request cannot have arrived. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Turns what the network threw into a failure. The text says what, never with which key or address. */
export function networkFailure(error: unknown, place: string): StoreFailure {
  if (error instanceof StoreFailure) return error
  const message = innermost(error)
  // Some libraries keep the system's code in their text only.
  const code = rootCodeOf(error) ?? /\b(E[A-Z_]{4,})\b/.exec(message)?.[1]
  const why = code ?? message
  if (isTimeout(error)) return new StoreFailure('busy', `${place} did not answer in time`, { isUncertain: true })
  const kind = code !== undefined && LASTING.has(code) ? 'misconfigured' : 'busy'
  return new StoreFailure(kind, `${place} cannot be reached (${why})${remedyFor(code, place)}`, {
    isUncertain: code === undefined || !NOT_SENT.has(code),
    isAway: code !== undefined && NOT_SENT.has(code),
    ...(code === undefined ? {} : { status: code }),
  })
}

/** The root cause says more than "fetch failed". */
function innermost(error: unknown): string {
  let message = String(error)
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) message = at.message
  return message
}

export function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')
}
