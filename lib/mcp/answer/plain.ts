import { cleanText } from '../../native.js'

/** Only texts with something else are worth a closer look: it may steer a terminal, or hide or reorder text. */
const SUSPICIOUS = /[^\n\x20-\x7e\u00a0-\u00ac\u00ae-\u034e\u0370-\u0482]/

/** No path is longer, and every text that may be is cut where it is handed over already. */
const LENGTH_MAX = 4096

/**
 * A value as programs get it: every text in it without what steers a terminal and not longer than of use, whoever wrote the
 * file that it came from.
 */
export function plain<T>(value: T): T {
  return strip(value) as T
}

function strip(value: unknown): unknown {
  if (typeof value === 'string') return clean(value.length > LENGTH_MAX ? cut(value) : value)
  if (Array.isArray(value)) return value.map(strip)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [strip(key), strip(inner)]))
}

function clean(text: string): string {
  return SUSPICIOUS.test(text) ? cleanText(text) : text
}

/** Between characters, never within one. */
function cut(text: string): string {
  const end = /[\uD800-\uDBFF]/.test(text.charAt(LENGTH_MAX - 1)) ? LENGTH_MAX - 1 : LENGTH_MAX
  return text.slice(0, end)
}
