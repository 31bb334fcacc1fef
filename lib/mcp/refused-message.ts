import type { Transport } from '@modelcontextprotocol/server'
import { asLine, cutTo } from '../shared/line.js'

/** The maximum size of a message, over stdio and HTTP alike. A larger one is read to its end and discarded. */
export const MESSAGE_BYTES_MAX = 4 * 1024 * 1024

/** Error codes of JSON-RPC 2.0, and one from the range that it reserves for servers. */
export const PARSE_ERROR = -32_700
export const INVALID_REQUEST = -32_600
export const TOO_LARGE = -32_000
const INVALID_PARAMS = -32_602
const REASON_LENGTH = 500

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

type Message = Parameters<Transport['send']>[0]

/** Lets a transport say in one line which parameters are wrong, which the SDK reports as a dump of its schema library. */
export function withPlainErrors<T extends Transport>(transport: T): T {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => send(plain(message), options)
  return transport
}

function plain(message: Message): Message {
  if (!('error' in message)) return message
  const issues = issuesIn(message.error.message)
  if (issues === undefined) return message
  const reasons = issues.map(
    ({ path, message: reason }) => `${path.join('.')}: ${reason.replace('Invalid input: ', '')}`,
  )
  return { ...message, error: { code: INVALID_PARAMS, message: cutTo(asLine(reasons.join('; ')), REASON_LENGTH) } }
}

function issuesIn(text: string): { path: unknown[]; message: string }[] | undefined {
  try {
    const issues: unknown = JSON.parse(text.slice(Math.max(text.indexOf('[\n'), 0)))
    return Array.isArray(issues) ? issues : undefined
  } catch {
    return undefined
  }
}
