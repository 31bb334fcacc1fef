import { isObject } from '../shared/json.js'

/** Removes NUL characters and unpaired surrogates, which stores do not accept. */
export function wellFormed(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, '\ufffd')
}

/** Parses a JSON object with every string in it well-formed; anything else yields an empty object. */
export function wellFormedObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json, (_key, part) => (typeof part === 'string' ? wellFormed(part) : part))
    return isObject(value) ? { ...value } : {}
  } catch {
    return {}
  }
}
