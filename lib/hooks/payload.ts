// Payloads of hosts are untrusted JSON of any shape and version: every field is checked before it is used.

export type Fields = Record<string, unknown>

export function text(fields: Fields | undefined, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = fields?.[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

export function object(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

export function parseObject(value: unknown): Fields | undefined {
  if (typeof value !== 'string') return undefined
  try {
    return object(JSON.parse(value))
  } catch {
    return undefined
  }
}

/** Returns an object, or the object that a text contains as JSON. */
export function objectIn(value: unknown): Fields | undefined {
  return object(value) ?? parseObject(value)
}
