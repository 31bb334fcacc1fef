// The arguments of the engine, as its structs declare them: `crates/operations` writes `declared.json`.
import table from './declared.json'

/** The name of an argument, as `index.d.ts` has it. */
export type Declared = keyof typeof table

/** What JSON schema says of a field. Its description is one sentence. */
export interface Field extends Partial<Declaration> {
  type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'
  enum?: string[]
  anyOf?: Field[]
  items?: Field
  additionalProperties?: Field
  minimum?: number
  maximum?: number
  minLength?: number
  minItems?: number
  maxItems?: number
  description?: string
}

/** The fields of a declaration by their names, and the names of those that must be there. */
export interface Declaration {
  properties: Record<string, Field>
  required?: string[]
}

export function declarationOf(name: Declared): Declaration {
  return table[name] as unknown as Declaration
}

/** The names of the facts of a record: optional texts, which every surface passes on without knowing them. */
export const FACTS = Object.keys(declarationOf('Facts').properties)

/** Returns the facts of what carries a record. */
export function factsOf(carrier: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(carrier).filter(([name, text]) => FACTS.includes(name) && text !== undefined),
  )
}
