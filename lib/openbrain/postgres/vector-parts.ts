// The parts of an index of vectors: each has its range of ids, and a search asks each of them.
import pg from 'pg'
import type { VectorTable } from './schema.js'

/** The condition of each part of an index, in the words of its definition, so that the planner knows that it may use that part. */
export function partConditions({ parts }: Pick<VectorTable, 'parts'>, alias = ''): string[] {
  const id = `${alias}id`
  const isIndexed = `${alias}is_indexed`
  if (parts.length === 0) return [isIndexed]
  const bounds = parts.map((bound) => pg.escapeLiteral(String(bound)))
  return [undefined, ...bounds].map((from, at) => {
    const range = [from && `${id} >= ${from}`, bounds[at] && `${id} < ${bounds[at]}`].filter(Boolean)
    return [isIndexed, ...range].join(' and ')
  })
}
