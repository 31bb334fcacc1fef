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
