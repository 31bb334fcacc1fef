import type { LatticeQueryOptions } from '../native.js'

/** Puts a question to the code graph together, step by step: `latticeQuery(builder.build())`. Without a word it asks for 25 of everything. */
export class LatticeQueryBuilder {
  private readonly asked: LatticeQueryOptions & { query: string; limit: number } = { query: '', limit: 25 }

  /** Words to find. */
  query(words: string): this {
    this.asked.query = words
    return this
  }

  /** Only this language, by its name or by an extension of its files. */
  language(name: string): this {
    this.asked.language = name
    return this
  }

  /** Only this kind. */
  kind(name: string): this {
    this.asked.kind = name
    return this
  }

  /** Only files whose path contains this. */
  filePath(part: string): this {
    this.asked.filePath = part
    return this
  }

  /** How many at most. Throws a `RangeError` unless it is a whole number of at least 1. */
  limit(count: number): this {
    if (!Number.isInteger(count) || count < 1) throw new RangeError('limit: expected a whole number of at least 1')
    this.asked.limit = count
    return this
  }

  /** Returns what `latticeQuery` takes; the builder can be used on. */
  build(): LatticeQueryOptions & { query: string; limit: number } {
    return { ...this.asked }
  }

  /** Says in one line what is asked for. */
  describe(): string {
    const { query, limit, ...filters } = this.asked
    const parts = Object.entries({ ...filters, limit }).map(([name, value]) => `${name} ${value}`)
    return [query === '' ? 'everything' : `"${query}"`, ...parts].join(', ')
  }
}
