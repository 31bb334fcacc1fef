import type { Transport } from '@modelcontextprotocol/server'
import { asLine, cutTo } from '../shared/line.js'

const INVALID_PARAMS = -32_602
const REASON_LENGTH = 500

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
