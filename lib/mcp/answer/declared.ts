// Arguments and answers of tools that are fields of the engine's: names, types, choices, limits and descriptions are as it declares them.
import { z } from 'zod'
import { type Declaration, type Declared, declarationOf, FACTS, type Field } from '../../shared/declared.js'
import { given } from '../../shared/given.js'
import told from './told.json'

type Snake<Name extends string> = Name extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Rest>}`
  : ''
export type Camel<Name extends string> = Name extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<Camel<Rest>>}`
  : Name
/** Some tools have always written names with underscores: `created_by`. */
type Names<T> = (keyof T & string) | Snake<keyof T & string>
type ValueOf<T, Name extends string> = Camel<Name> extends keyof T ? Exclude<T[Camel<Name>], undefined> : never
type FieldOf<T, Name extends string> = undefined extends T[Camel<Name> & keyof T]
  ? z.ZodOptional<z.ZodType<ValueOf<T, Name>>>
  : z.ZodType<ValueOf<T, Name>>

/** Returns what makes arguments or answers of a tool from the fields of a declaration. */
export function declared<T>(name: Declared | keyof typeof told) {
  const whole = (told as Record<string, Declaration>)[name] ?? declarationOf(name as Declared)
  const field = (name: string) => whole.properties[camel(name)] as Field
  const shape = <Name extends Names<T>>(names: Name[], shown: (field: Field) => Field) => {
    const fields = names.map((name) => [name, memberOf(whole, camel(name), shown(field(name)))])
    return Object.fromEntries(fields) as { [Each in Name]: FieldOf<T, Each> }
  }
  return {
    /** The type of one field, to which a tool gives a default or words of its own. */
    field: <Name extends Names<T>>(name: Name) => typeOf(field(name)) as z.ZodType<ValueOf<T, Name>>,
    fields: <Name extends Names<T>>(...names: Name[]) => shape(names, (field) => field),
    /** The same without descriptions and limits, which the engine checks: what is in every context has to be short. */
    bare: <Name extends Names<T>>(...names: Name[]) =>
      shape(names, ({ description, minimum, maximum, minLength, minItems, maxItems, ...bare }) => bare),
  }
}

/** The record that a tool is about; without a description where every word is in each context. */
export function recordName(isDescribed = true) {
  const { description, ...id } = declarationOf('RecordName').properties.id as Field
  return typeOf(isDescribed ? { ...id, ...given({ description }) } : id) as z.ZodType<string>
}

/** The facts of a record. They are passed on without being named, so no type has them. */
export const factFields = () =>
  declared<Record<string, string>>('Facts').bare(...FACTS.map(snake)) as unknown as Record<never, never>

/** The facts that an agent gives. A quote is known only as what the user has said. */
export function saidFields() {
  const { quote, ...others } = factFields() as { quote: z.ZodType<string | undefined> }
  const said = quote.describe("The user's own words, if it states them and nothing more: it counts as theirs then.")
  return { ...others, said }
}

const memberOf = ({ required }: Declaration, name: string, field: Field) =>
  required?.includes(name) ? typeOf(field) : typeOf(field).optional()

const PLAIN = { string: z.string, number: z.number, integer: z.int, boolean: z.boolean }
const LIMITS = { minimum: z.gte, maximum: z.lte, minLength: z.minLength, minItems: z.minLength, maxItems: z.maxLength }

/** zod can make a type of a schema as well, with a tenth more code for every start of the server. */
function typeOf(field: Field): z.ZodType {
  let type = unlimited(field)
  for (const [name, limit] of Object.entries(LIMITS)) {
    const value = field[name as keyof typeof LIMITS]
    if (value !== undefined) type = type.check(limit(value) as z.core.$ZodCheck<unknown>)
  }
  return field.description === undefined ? type : type.describe(field.description)
}

function unlimited({ type, enum: names, anyOf, items = {}, properties = {}, ...more }: Field): z.ZodType {
  if (names !== undefined) return z.enum(names)
  if (anyOf !== undefined) return z.union(anyOf.map(typeOf))
  if (type === 'array') return z.array(typeOf(items))
  if (type !== 'object') return PLAIN[type ?? 'string']()
  if (more.additionalProperties !== undefined) return z.record(z.string(), typeOf(more.additionalProperties))
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    memberOf({ properties, ...more }, name, field),
  ])
  return z.looseObject(Object.fromEntries(fields))
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Renames what has underscores. */
export function camel(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}
