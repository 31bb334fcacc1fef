import { problem } from './problem.js'

/**
 * Takes an argument that must be an object with fields. Texts and lists of numbers have a field for every part of them, and
 * copying those fields would take very long.
 */
export function fieldsOf<T extends object>(name: string, value: T): T {
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value)) return value
  throw problem('INVALID_INPUT', `${name}: expected an object`)
}
