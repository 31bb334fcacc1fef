import { type FailureKind, StoreFailure } from './failure.js'

/** The meaning of the text of a 502 response, for servers with this status for every failure. The first match counts. */
const DETAILS: [pattern: RegExp, kind: FailureKind, why: string][] = [
  [
    /violates foreign key constraint "?thoughts_supersedes_fkey/i,
    'rejected',
    'it supersedes a thought that is not there',
  ],
  [/expected \d+ dimensions,? not \d+|different vector dimensions/i, 'misconfigured', 'embedder and schema disagree'],
  [
    /connect E[A-Z]+|ECONNRE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|socket hang up|fetch failed/i,
    'busy',
    'a part of it is down',
  ],
  [/embed(ding)?s? (request )?failed|rate limit|timed? ?out|timeout|terminating connection|too many/i, 'busy', 'busy'],
  [/must not be negative|invalid input syntax|is not unique|out of range|violates/i, 'rejected', 'an invalid value'],
]

/** Classifies an HTTP response. `detail` is the message in its body. */
export function httpFailure(status: number, detail: string, place: string): StoreFailure {
  const suffix = detail.trim() === '' ? '' : `: ${detail.trim()}`
  const failure = (kind: FailureKind, message: string, isUncertain = false, isAway = false) =>
    new StoreFailure(kind, `${message}${suffix}`, { status, isUncertain, isAway })
  if (status === 401 || status === 403) return failure('misconfigured', `${place} refuses the key`)
  if (status >= 300 && status < 400)
    return new StoreFailure('misconfigured', `${place} redirects to another address; use that one`, { status })
  if (status === 400 || status === 422) return failure('rejected', `${place} refuses the record`)
  if (status === 413) return failure('rejected', `${place} refuses the record as too large`)
  if (status === 404 || status === 405) return failure('misconfigured', `${place} does not have this function`)
  if (status === 408 || status === 429 || status === 503)
    return failure('busy', `${place} is busy`, false, status !== 408)
  if (status === 500 && /JSON|Unexpected token|parse/i.test(detail))
    return failure('rejected', `${place} could not read the record`)
  if (status === 502 || status === 500) return gatewayFailure(status, detail, place)
  if (status >= 500) return failure('busy', `${place} failed`, true)
  return failure('rejected', `${place} answers with status ${status}`)
}

/**
 * Classifies a 502 response by its text: the status covers temporary and permanent failures. An unknown text counts as
 * temporary.
 */
function gatewayFailure(status: number, detail: string, place: string): StoreFailure {
  const [, kind, why] = DETAILS.find(([pattern]) => pattern.test(detail)) ?? [undefined, 'busy' as const, 'it failed']
  return new StoreFailure(kind, `${place}: ${why}: ${detail.trim()}`, { status, isUncertain: kind === 'busy' })
}

/** Classifies the error text of an MCP tool, which has no status code. */
export function toolFailure(text: string, place: string): StoreFailure {
  const known = DETAILS.find(([pattern]) => pattern.test(text))
  if (known)
    return new StoreFailure(known[1], `${place}: ${known[2]}: ${text.trim()}`, { isUncertain: known[1] === 'busy' })
  if (/unauthori[sz]ed|invalid (access )?key|forbidden/i.test(text))
    return new StoreFailure('misconfigured', `${place} refuses the key: ${text.trim()}`)
  if (/no active session/i.test(text)) return new StoreFailure('busy', `${place} has lost the session`)
  if (/required|must be|invalid|not allowed|unknown (field|tool)|expected|too (long|large)|validation/i.test(text))
    return new StoreFailure('rejected', `${place} refuses the record: ${text.trim()}`)
  return new StoreFailure('busy', `${place} failed: ${text.trim()}`, { isUncertain: true })
}
