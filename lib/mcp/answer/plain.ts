import { cleanText } from '../../native.js'
import { cutTo, wholeCharacters } from '../../shared/line.js'
import { isPlainlySeen } from '../../text/hidden.js'

/** Longer than any path; stored texts are truncated before they get here. */
const LENGTH_MAX = 4096

/**
 * Sanitizes a value for structured content: strings without terminal control sequences and of bounded length, since
 * they may come from any file of a clone.
 */
export function plain<T>(value: T, lengthMax = LENGTH_MAX): T {
  return strip(value, lengthMax) as T
}

function strip(value: unknown, lengthMax: number): unknown {
  if (typeof value === 'string') return clean(cutTo(value, lengthMax))
  if (Array.isArray(value)) return value.map((inner) => strip(inner, lengthMax))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [strip(key, lengthMax), strip(inner, lengthMax)]),
  )
}

function clean(text: string): string {
  // A call into the addon costs more than this check, which most strings pass.
  return isPlainlySeen(text) && !text.includes('\t') ? text : cleanText(wholeCharacters(text))
}
