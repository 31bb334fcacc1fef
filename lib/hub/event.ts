import { isObject } from '../shared/json.js'
import { problem } from '../shared/problem.js'

/** The common fields of every event; each type adds its own. */
export interface HubEvent {
  type: string
  version?: string
  timestamp?: string
  /** The sequence number, strictly increasing; absent in events that are not stored. */
  seq?: number
  [field: string]: unknown
}

/** The engine's limit for the size of an event. One event cannot fill the buffer of a client. */
const EVENT_BYTES_MAX = 512 * 1024
const TYPE_BYTES_MAX = 128
const VERSION_CHARS_MAX = 128

/** Validates an event. Throws `INVALID_INPUT`. */
export function checkEvent(event: unknown): asserts event is HubEvent {
  if (!isObject(event)) throw problem('INVALID_INPUT', 'event: expected an object')
  const { type, timestamp, version } = event
  if (typeof type !== 'string' || type === '' || Buffer.byteLength(type) > TYPE_BYTES_MAX || /\p{Cc}/u.test(type)) {
    throw problem('INVALID_INPUT', `event.type: expected a string of 1 to ${TYPE_BYTES_MAX} bytes`)
  }
  if (timestamp !== undefined && (typeof timestamp !== 'string' || Number.isNaN(Date.parse(timestamp)))) {
    throw problem('INVALID_INPUT', 'event.timestamp: expected an ISO 8601 time')
  }
  if (version !== undefined && (typeof version !== 'string' || version.length > VERSION_CHARS_MAX)) {
    throw problem('INVALID_INPUT', 'event.version: expected a short string')
  }
}

/** Serializes an event at once, so that an invalid one is refused here and not at delivery. */
export function serialise(event: HubEvent): string {
  let text: string | undefined
  try {
    text = JSON.stringify(event)
  } catch (error) {
    throw problem('INVALID_INPUT', `event: cannot be written as JSON: ${(error as Error).message}`)
  }
  if (text === undefined || !text.startsWith('{')) throw problem('INVALID_INPUT', 'event: expected an object')
  const bytes = Buffer.byteLength(text)
  if (bytes > EVENT_BYTES_MAX) {
    throw problem('INVALID_INPUT', `event: has ${bytes} bytes; at most ${EVENT_BYTES_MAX} are allowed`)
  }
  return text
}

/** Adds the common fields that an event does not have. */
export function complete(event: HubEvent): HubEvent {
  return { version: '1.0', timestamp: new Date().toISOString(), ...event }
}
