// Error handling for callers that expect no exception, as in Plan Forge: the result carries the error. Also readers for
// untyped values.
import type { Problem } from '../native.js'
import { isObject } from '../shared/json.js'
import { codeOf, hintOf, messageOf } from '../shared/problem.js'

/** Converts anything that was thrown to the error format of results. */
export function reasonOf(error: unknown): Problem {
  try {
    const hint = hintOf(error)
    return { code: codeOf(error), message: messageOf(error), ...(hint === undefined ? {} : { hint }) }
  } catch {
    // Inspecting the value failed, as a proxy or a throwing getter does.
    return { code: 'INTERNAL', message: messageOf(error) }
  }
}

/** Returns the result of `work`; when it throws, the fallback, which may be made of the error. */
export function softly<T>(work: () => T, fallback: T | ((reason: Problem) => T)): T {
  try {
    return work()
  } catch (error) {
    return fallback instanceof Function ? fallback(reasonOf(error)) : fallback
  }
}

/** Prints a warning for a failure that no result can carry. */
export function warn(message: string): void {
  console.warn(`forge-memory: ${message}`)
}

/** An object with arbitrary fields. */
export type Fields = Record<string, unknown>

/** Returns a value that is an object, else an empty object. */
export function fieldsIn(value: unknown): Fields {
  return isObject(value) ? value : {}
}

/** Returns a value that is a string, else undefined. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns a value that is a number, else undefined. */
export function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Returns a string, or a number as a string, else undefined. */
export function wordIn(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : textIn(value)
}

/** Converts a time given as milliseconds, string or Date; undefined for anything else. */
export function momentOf(now: unknown): number | string | undefined {
  const moment = now instanceof Date ? now.getTime() : now
  return numberIn(moment) ?? textIn(moment)
}

/** Returns a count, which may be a numeric string; 0 for anything else. */
export function countIn(value: unknown): number {
  return Number(wordIn(value)) || 0
}

/** Limits a number to the engine's maximum. The engine refuses an invalid number itself. */
export function atMost<T extends number | undefined>(requested: T, most: number): T | number {
  return typeof requested === 'number' && requested > most ? most : requested
}

/** Returns an options argument that may be null or not an object. */
export function optionsIn<T extends object>(value: T | null | undefined): Partial<T> {
  return fieldsIn(value) as Partial<T>
}

/** Returns a value that is an array, else an empty array. */
export function listIn<T = unknown>(value: unknown): T[] {
  return Array.isArray(value) ? (value as T[]) : []
}
