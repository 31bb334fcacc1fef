import { attempt } from './problem.js'

// What somebody else wrote: it may be anything.

/** Parses a text; undefined when it is no JSON. */
export function parsedJson(text: string): unknown {
  return attempt(() => JSON.parse(text))
}

/** True if a value is an object with fields, and no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Decodes a part of an address; undefined when it is not encoded as one. */
export function decoded(text: string): string | undefined {
  return attempt(() => decodeURIComponent(text))
}
