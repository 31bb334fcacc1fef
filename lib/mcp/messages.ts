import { parsedJson } from '../shared/json.js'

/** The maximum size of a message, over stdio and HTTP alike. A larger one is read to its end and discarded. */
export const MESSAGE_BYTES_MAX = 4 * 1024 * 1024

/** Error codes of JSON-RPC 2.0, and one from the range that it reserves for servers. */
export const PARSE_ERROR = -32_700
export const INVALID_REQUEST = -32_600
export const TOO_LARGE = -32_000

const MESSAGES: Record<number, string> = {
  [PARSE_ERROR]: 'the message is not valid JSON',
  [INVALID_REQUEST]: 'the message is not a JSON-RPC 2.0 request',
  [TOO_LARGE]: `the message is larger than ${MESSAGE_BYTES_MAX} bytes`,
}

/**
 * Creates the error response to a message that is refused before any tool runs. The id is null when it could not be
 * parsed.
 */
export function refusedMessage(code: number, id: string | number | null = null): object {
  return { jsonrpc: '2.0', id, error: { code, message: MESSAGES[code] } }
}

/** How much of a message that is too large is read. */
export const HEAD_BYTES = 1024

/** A text, which may be cut off, a sign, or a number or a name. */
const WORD = /"(?:[^"\\]|\\.)*"?|[{}[\]:,]|[^\s"{}[\]:,]+/g

/** Returns the id of a request of which only the beginning was read, so that its client waits no longer; null where the id comes later. */
export function idInHead(head: Buffer): string | number | null {
  const words = head.toString('utf8', 0, HEAD_BYTES).match(WORD) ?? []
  const fields = new Map<string, string>()
  let depth = 0
  for (const [at, word] of words.entries()) {
    if ('{['.includes(word)) depth += 1
    if ('}]'.includes(word)) depth -= 1
    const [sign, value, next] = words.slice(at + 1)
    // What follows the value says that it is whole.
    if (depth === 1 && sign === ':' && value !== undefined && next !== undefined) fields.set(word, value)
  }
  // An answer has an id as well, which is the server's.
  const id = fields.has('"method"') ? parsedJson(fields.get('"id"') ?? '') : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** Leaves out parameters of a request that are `null`, and its parameters when they are: the protocol knows none, and some hosts send them. */
export function withoutNullParameters<T>(message: T): T {
  if (typeof message !== 'object' || message === null || !('params' in message)) return message
  const { params, ...rest } = message
  if (params === null) return rest as T
  if (typeof params !== 'object' || Array.isArray(params)) return message
  return {
    ...rest,
    params: Object.fromEntries(Object.entries(params as object).filter(([, value]) => value !== null)),
  } as T
}
