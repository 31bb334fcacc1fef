import { cleanText } from '../../native.js'
import { cutTo } from '../../shared/line.js'
import { isPlainlySeen } from '../../text/hidden.js'

/** No path is longer, and every text that may be is cut where it is handed over already. */
const LENGTH_MAX = 4096

/**
 * Sanitizes a value for programs: texts without terminal control sequences and of bounded length, since they may come from any
 * file of a clone.
 */
export function plain<T>(value: T): T {
  return strip(value) as T
}

function strip(value: unknown): unknown {
  if (typeof value === 'string') return clean(cutTo(value, LENGTH_MAX))
  if (Array.isArray(value)) return value.map(strip)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [strip(key), strip(inner)]))
}

function clean(text: string): string {
  // Calling the engine for every text would take longer than looking at it here.
  return isPlainlySeen(text) && !text.includes('\t') ? text : cleanText(text)
}
