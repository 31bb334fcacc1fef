import type { z } from 'zod'

/**
 * Reads arguments that some hosts send as text: `"0.9"` for a number, `"true"`, `"[\"a\"]"` for a list. A text is only read as JSON where
 * the argument takes its value and no text, or a list beside a text; all others stay as they are.
 */
export function readTexts(given: unknown, shape: object): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const fields = shape as Record<string, z.ZodType | undefined>
  const read = Object.entries(given).map(([name, value]) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    return [name, field === undefined || typeof value !== 'string' ? value : readText(value, field)]
  })
  return Object.fromEntries(read)
}

function readText(text: string, field: z.ZodType): unknown {
  const takesText = field.safeParse(text).success
  // An argument that takes everything gets the text as it was sent.
  if (takesText && (!text.trimStart().startsWith('[') || field.safeParse(0).success)) return text
  try {
    const value: unknown = JSON.parse(text)
    return typeof value !== 'string' && value !== null && field.safeParse(value).success ? value : text
  } catch {
    return text
  }
}
