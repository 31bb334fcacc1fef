/** As much as a message may have, over stdio as over HTTP. What is longer is read to its end, and never held. */
export const MESSAGE_BYTES_MAX = 4 * 1024 * 1024

/** Codes of JSON-RPC 2.0, and one of those that it leaves to servers. */
export const PARSE_ERROR = -32_700
export const INVALID_REQUEST = -32_600
export const TOO_LARGE = -32_000

const MESSAGES: Record<number, string> = {
  [PARSE_ERROR]: 'the message is not valid JSON',
  [INVALID_REQUEST]: 'the message is not a JSON-RPC 2.0 request',
  [TOO_LARGE]: `the message is larger than ${MESSAGE_BYTES_MAX} bytes`,
}

/** The error of a message that no tool ever sees. The id is null where it could not be read. */
export function refusedMessage(code: number, id: string | number | null = null): object {
  return { jsonrpc: '2.0', id, error: { code, message: MESSAGES[code] } }
}
