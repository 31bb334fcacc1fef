import { rootCodeOf } from '../shared/problem.js'
import { foreignText } from './foreign-text.js'
import type { OutcomeKind } from './store.js'

export type FailureKind = Exclude<OutcomeKind, 'delivered' | 'gone' | 'failed'>

/** A failure of a store, with its class. Its message contains no key, whatever the source. */
export class StoreFailure extends Error {
  readonly kind: FailureKind
  /** The HTTP status, or the error code of the database. */
  readonly status: number | string | undefined
  /** True when the request may have been processed although no response arrived. */
  readonly isUncertain: boolean
  /** True when the store was unreachable or accepted nothing, so that no record is the cause. */
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

/** Network and TLS error codes that need a person. All others are temporary. */
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

const AUTHORITY = 'its certificate is not signed by a known authority'
/** Hints for TLS errors, for a database and for a server. */
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
  [
    /WRONG_VERSION_NUMBER|EPROTO/,
    'it does not support TLS: ?sslmode=disable connects without it',
    'it does not support TLS: use http://',
  ],
]

function remedyFor(code: string | undefined, place: string): string {
  const found = TLS_REMEDIES.find(([codes]) => codes.test(code ?? ''))
  if (found === undefined) return ''
  return `: ${/^postgres/.test(place) ? found[1] : found[2]}`
}

/** Error codes that prove the request did not arrive. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Classifies a network error. The message contains no key and no address. */
export function networkFailure(error: unknown, place: string): StoreFailure {
  if (error instanceof StoreFailure) return error
  const message = innermost(error)
  // Some libraries have the system's code only in their message.
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

/** Returns the message of the root cause, which says more than "fetch failed". */
function innermost(error: unknown): string {
  let message = String(error)
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) message = at.message
  return message
}

export function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')
}

/** Waits for some work as long as it may take. Its own failure, when that comes later, is nobody's any more. */
export function within<T>(milliseconds: number, work: Promise<T>, late: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StoreFailure('busy', late)), milliseconds)
  })
  work.catch(() => undefined)
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer))
}
