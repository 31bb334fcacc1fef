import { problem } from '../shared/problem.js'

/** The parameters of an address. What is not known is refused, so that a typing error is not taken for no filter. */
export class Query {
  private readonly values: URLSearchParams

  constructor(values: URLSearchParams) {
    this.values = values
  }

  /** Refuses every parameter but these. */
  only(...names: string[]): this {
    for (const name of this.values.keys()) {
      if (!names.includes(name)) throw problem('INVALID_INPUT', `${name.slice(0, 64)}: unknown parameter`)
    }
    return this
  }

  text(name: string): string | undefined {
    return this.values.get(name) ?? undefined
  }

  /** All values of a parameter that may be repeated; undefined when there is none. */
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

/** Leaves out what was not given: the binding wants a key absent, not undefined. */
export function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}
