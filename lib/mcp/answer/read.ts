import type { z } from 'zod'

/**
 * Reads arguments in the forms that hosts send: `null` for one that is not given; `"0.9"` for a number, `"true"`, `"[\"a\"]"` for a list; a text
 * for a list of one, or of the words between its commas; names out of a list in other case. A text is only read otherwise where the argument
 * takes the result and no text, or a list beside a text; what fits nowhere stays as it is, for the schema to refuse.
 */
export function readForms(given: unknown, shape: object): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const fields = shape as Record<string, z.ZodType | undefined>
  const read = Object.entries(given).map(([name, value]) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    return [name, field === undefined ? value : readForm(value, field)]
  })
  return Object.fromEntries(read.filter(([, value]) => value !== undefined))
}

function readForm(value: unknown, field: z.ZodType): unknown {
  if (value === null) return takes(field, null) && !takes(field, undefined) ? null : undefined
  if (typeof value === 'string') return readText(value, field)
  const { type, element, shape } = definitionOf(field)
  if (type === 'array' && Array.isArray(value)) return value.map((item) => readForm(item, element) ?? item)
  return type === 'object' ? readForms(value, shape) : value
}

function readText(text: string, field: z.ZodType): unknown {
  const takesText = takes(field, text)
  // An argument that takes everything gets the text as it was sent.
  if (takesText && takes(field, 0)) return text
  const said = inJson(text)
  // A list of something else is no list of texts that say so.
  if (Array.isArray(said)) return takes(field, said) ? said : text
  const words = text.split(',').map((word) => word.trim())
  const areWords = words.length > 1 && words.every((word) => /^\S+$/.test(word))
  const list = areWords ? listOf(words, field) : undefined
  const others = takesText ? [list] : [said, list, nameIn(text, field), listOf([text], field)]
  return others.find((other) => other !== undefined && takes(field, other)) ?? text
}

/** What a text says in JSON, if that is no text and not nothing. */
function inJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' || value === null ? undefined : value
  } catch {
    return undefined
  }
}

/** A list of texts, read as the items that the argument takes. */
function listOf(texts: string[], field: z.ZodType): unknown[] {
  const { element } = definitionOf(field)
  return element === undefined ? texts : texts.map((text) => readText(text, element))
}

/** The name out of a list that a text means. */
function nameIn(text: string, field: z.ZodType): unknown {
  const meant = text.trim().toLowerCase()
  return Object.values(definitionOf(field).entries ?? {}).find((name) => `${name}`.toLowerCase() === meant)
}

const takes = (field: z.ZodType, value: unknown) => field.safeParse(value).success

/** What zod knows of a type: only what is asked for here. */
interface Definition {
  type: string
  innerType?: z.ZodType
  element: z.ZodType
  shape: object
  entries?: Record<string, string>
}

/** Returns the definition of a field, without what makes it optional or gives it a default. */
function definitionOf(field: z.ZodType): Definition {
  const definition = field.def as unknown as Definition
  return definition.innerType === undefined ? definition : definitionOf(definition.innerType)
}
