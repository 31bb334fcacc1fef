// JSON that somebody else wrote: it may be anything, and what is missing is absent.
import { parsedJson } from '../shared/json.js'

export type Fields = Record<string, unknown>

export const fieldsIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}
export const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
export const listIn = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsIn) : [])

/** Returns the fields of a text; none when it is no object of JSON. */
export const parsedFields = (text: string): Fields => fieldsIn(parsedJson(text))

/** Returns the note in the answer of a hook, if it has one. */
export const noteIn = (answer: string): string | undefined =>
  textIn(fieldsIn(parsedFields(answer).hookSpecificOutput).additionalContext)
