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
