import { problem } from './problem.js'

/**
 * Requires an argument to be an object with fields. Strings and typed arrays have one field per element, which would
 * take very long to copy.
 */
export function fieldsOf<T extends object>(name: string, value: T): T {
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value)) return value
  throw problem('INVALID_INPUT', `${name}: expected an object`)
}
