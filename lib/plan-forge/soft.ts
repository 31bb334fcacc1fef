// Soft failures: callers of the older tool never expect an exception, so what goes wrong is an answer, and the reason is in it.
import type { Problem } from '../native.js'
import { codeOf, hintOf, messageOf } from '../shared/problem.js'

/** Returns whatever was thrown in the form in which answers carry it. */
export function reasonOf(error: unknown): Problem {
  const hint = hintOf(error)
  return { code: codeOf(error), message: messageOf(error), ...(hint === undefined ? {} : { hint }) }
}

/** Returns what `work` answers, or what `fallback` makes of the reason why it cannot. */
export function softly<T>(work: () => T, fallback: (reason: Problem) => T): T {
  try {
    return work()
  } catch (error) {
    return fallback(reasonOf(error))
  }
}

/** Tells people of a failure that no answer can carry. */
export function warn(message: string): void {
  console.warn(`forge-memory: ${message}`)
}

/** A value with fields; everything else has none. */
export type Fields = Record<string, unknown>

/** Returns a value as an object with fields; one without any for everything else. */
export function fieldsIn(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

/** Returns a text; nothing for everything else. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns a list; an empty one for everything else. */
export function listIn<T = unknown>(value: unknown): T[] {
  return Array.isArray(value) ? (value as T[]) : []
}
