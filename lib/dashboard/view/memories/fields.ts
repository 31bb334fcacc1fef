import type { Query } from '../../connection/http.js'

/** The state of the list in its address: search, filters and grouping. */
export type Fields = Record<'q' | 'type' | 'tag' | 'since' | 'scope' | 'sure' | 'expired' | 'proposed' | 'by', string>

export type Grouping = '' | 'type' | 'day' | 'source'

const NAMES: (keyof Fields)[] = ['q', 'type', 'tag', 'since', 'scope', 'sure', 'expired', 'proposed', 'by']
/** The filters, besides the words of a search. */
const FILTERS = NAMES.filter((name) => name !== 'q' && name !== 'by')

export const NO_FILTERS = Object.fromEntries(FILTERS.map((name) => [name, ''])) as Partial<Fields>

export function fieldsOf(query: URLSearchParams): Fields {
  return Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ''])) as Fields
}

export function filtersOf(fields: Fields): Query {
  return {
    type: fields.type,
    tag: fields.tag.trim(),
    since: fields.since,
    scope: fields.scope,
    minConfidence: fields.sure,
    includeExpired: fields.expired === 'yes' ? true : undefined,
    includeProposed: fields.proposed === 'yes' ? true : undefined,
  }
}

export const filterCount = (fields: Fields): number => FILTERS.filter((name) => fields[name] !== '').length

export function groupingOf({ by }: Fields): Grouping {
  return by === 'type' || by === 'day' || by === 'source' ? by : ''
}
