import type { LatticeQueryOptions } from '../native.js'

/**
 * Builds a query of the code graph step by step: `latticeQuery(builder.build())`. Without words it matches everything; the
 * limit is 25 when absent.
 */
export class LatticeQueryBuilder {
  private readonly options: LatticeQueryOptions & { query: string; limit: number } = { query: '', limit: 25 }

  /** Sets the words to search for. */
  query(words: string): this {
    this.options.query = words
    return this
  }

  /** Restricts hits to one language, given by its name or by a file extension. */
  language(name: string): this {
    this.options.language = name
    return this
  }

  /** Restricts hits to one kind of chunk. */
  kind(name: string): this {
    this.options.kind = name
    return this
  }

  /** Restricts hits to files whose path contains this text. */
  filePath(part: string): this {
    this.options.filePath = part
    return this
  }

  /** Sets the maximum number of hits. Throws a `RangeError` unless it is a whole number of at least 1. */
  limit(count: number): this {
    if (!Number.isInteger(count) || count < 1) throw new RangeError('limit: expected a whole number of at least 1')
    this.options.limit = count
    return this
  }

  /** Returns the options for `latticeQuery`. The builder can be changed and built again. */
  build(): LatticeQueryOptions & { query: string; limit: number } {
    return { ...this.options }
  }

  /** Describes the query in one line. */
  describe(): string {
    const { query, limit, ...filters } = this.options
    const parts = Object.entries({ ...filters, limit }).map(([name, value]) => `${name} ${value}`)
    return [query === '' ? 'everything' : `"${query}"`, ...parts].join(', ')
  }
}
