import { type FailureKind, StoreFailure } from './failure.js'

/** Texts by which a server that answers 502 for everything tells what it means, the first that fits counts. */
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

/** Tells what class of failure an HTTP answer is. `detail` is what its body says. */
export function httpFailure(status: number, detail: string, place: string): StoreFailure {
  const said = detail.trim() === '' ? '' : `: ${detail.trim()}`
  const failure = (kind: FailureKind, message: string, isUncertain = false, isAway = false) =>
    new StoreFailure(kind, `${message}${said}`, { status, isUncertain, isAway })
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

/** 502 mixes transient and permanent failures, so its text decides; an unknown text counts as transient. */
function gatewayFailure(status: number, detail: string, place: string): StoreFailure {
  const [, kind, why] = DETAILS.find(([pattern]) => pattern.test(detail)) ?? [undefined, 'busy' as const, 'it failed']
  return new StoreFailure(kind, `${place}: ${why}: ${detail.trim()}`, { status, isUncertain: kind === 'busy' })
}

/** Tells what class of failure a tool's error text is: servers without status codes say everything in words. */
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
