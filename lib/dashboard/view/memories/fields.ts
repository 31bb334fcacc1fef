import type { Query } from '../../connection/http.js'

/** The state of the list in its address: search, filters and grouping. */
export type Fields = Record<
  'q' | 'type' | 'tag' | 'since' | 'from' | 'to' | 'scope' | 'sure' | 'expired' | 'proposed' | 'by',
  string
>

export type Grouping = '' | 'type' | 'day' | 'source'

const NAMES: (keyof Fields)[] = [
  'q',
  'type',
  'tag',
  'since',
  'from',
  'to',
  'scope',
  'sure',
  'expired',
  'proposed',
  'by',
]
/** The filters, besides the words of a search. */
const FILTERS = NAMES.filter((name) => name !== 'q' && name !== 'by')

export const NO_FILTERS = Object.fromEntries(FILTERS.map((name) => [name, ''])) as Partial<Fields>

export function fieldsOf(query: URLSearchParams): Fields {
  return Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ''])) as Fields
}

/** The beginning of a day on this machine, or of one after it. */
function momentOf(date: string, days: number): string | undefined {
  const at = new Date(`${date}T00:00:00`)
  at.setDate(at.getDate() + days)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

/** The end of a day that is over; the memory of today is that of now. */
function endOf(date: string): string | undefined {
  const end = momentOf(date, 1)
  return end !== undefined && Date.parse(end) < Date.now() ? end : undefined
}

export function filtersOf(fields: Fields): Query {
  return {
    type: fields.type,
    tag: fields.tag.trim(),
    since: momentOf(fields.from, 0) ?? fields.since,
    at: endOf(fields.to),
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
