import type { RawData } from 'ws'
import { isObject, parsedJson } from '../shared/json.js'
import { type Client, HANDLES_MAX, LABEL_CHARS_MAX, readHandles } from './client.js'

/** How many malformed messages a client may send before it is disconnected. */
const REFUSALS_MAX = 100

export function clipLabel(label: string): string {
  return label.slice(0, LABEL_CHARS_MAX)
}

/** Handles a message of a client, or replies with an error. */
export function answerMessage(client: Client, data: RawData, isBinary: boolean, regroup: () => void): void {
  const message = isBinary ? undefined : parsedJson(String(data))
  if (!isObject(message)) refuse(client, 'MALFORMED_JSON', 'expected a JSON object')
  else if (typeof message.type !== 'string') refuse(client, 'INVALID_INPUT', 'expected a message with a type')
  else if (message.type === 'set-label') setLabel(client, message.label)
  else if (message.type === 'set-handles') setHandles(client, message.handles, regroup)
  else if (message.type === 'ping') client.send({ type: 'pong' })
  else refuse(client, 'UNKNOWN_MESSAGE', `unknown message type ${message.type.slice(0, 64)}`)
}

function setLabel(client: Client, label: unknown): void {
  if (typeof label === 'string' && label.length <= LABEL_CHARS_MAX) client.label = label
  else refuse(client, 'INVALID_INPUT', `label: expected a string of at most ${LABEL_CHARS_MAX} characters`)
}

function setHandles(client: Client, value: unknown, regroup: () => void): void {
  const handles = readHandles(value)
  if (handles === undefined) {
    refuse(client, 'INVALID_INPUT', `handles: expected null or a list of at most ${HANDLES_MAX} types`)
    return
  }
  client.handles = handles
  regroup()
  client.send({ type: 'handles', handles })
}

function refuse(client: Client, code: string, reason: string): void {
  client.refusals += 1
  if (client.refusals > REFUSALS_MAX) client.close(1008, 'too many malformed messages')
  else client.send({ type: 'refused', code, reason })
}
