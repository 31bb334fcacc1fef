import { type Declared, declarationOf } from '../shared/declared.js'
import { given } from '../shared/given.js'
import { problem } from '../shared/problem.js'

/** The query parameters of a URL. Unknown ones are refused, so that a misspelled filter is not ignored. */
export class Query {
  private readonly values: URLSearchParams

  constructor(values: URLSearchParams) {
    this.values = values
  }

  /** Refuses all parameters but these. */
  only(...names: string[]): this {
    for (const name of this.values.keys()) {
      if (!names.includes(name)) throw problem('INVALID_INPUT', `${name.slice(0, 64)}: unknown parameter`)
    }
    return this
  }

  /**
   * Reads the fields of an argument of the engine, each from the parameter of its name; a list from one in the singular, which may be
   * repeated. The engine checks the values. Refuses parameters that are neither fields nor `others`.
   */
  fields<T>(argument: Declared, others: string[] = [], isField = (_name: string) => true): Partial<T> {
    const fields = Object.entries(declarationOf(argument).properties).filter(([name]) => isField(name))
    const values = fields.map(([name, { type }]): [string, string, unknown] => {
      if (type === 'array') return [name, name.slice(0, -1), this.texts(name.slice(0, -1))]
      if (type === 'boolean') return [name, name, this.flag(name)]
      return [name, name, type === 'string' || type === undefined ? this.text(name) : this.number(name)]
    })
    this.only(...others, ...values.map(([, parameter]) => parameter))
    return given(Object.fromEntries(values.map(([name, , value]) => [name, value]))) as Partial<T>
  }

  text(name: string): string | undefined {
    return this.values.get(name) ?? undefined
  }

  /** Returns all values of a repeatable parameter; undefined when there is none. */
  texts(name: string): string[] | undefined {
    const all = this.values.getAll(name).filter((value) => value !== '')
    return all.length > 0 ? all : undefined
  }

  number(name: string): number | undefined {
    const text = this.values.get(name)
    if (text === null || text === '') return undefined
    const value = Number(text)
    if (!Number.isFinite(value)) throw problem('INVALID_INPUT', `${name}: expected a number`)
    return value
  }

  flag(name: string): boolean | undefined {
    const text = this.values.get(name)
    if (text === null) return undefined
    if (text === 'true' || text === '1' || text === '') return true
    if (text === 'false' || text === '0') return false
    throw problem('INVALID_INPUT', `${name}: expected true or false`)
  }
}
