import { ask } from '../connection/http.js'
import type { Series } from '../connection/shapes.js'

interface Span {
  since: string
  bucket: Series['bucket']
}

/** Fewer columns than this look like a mistake rather than like a chart. */
const COLUMNS_MIN = 12

/** The finer series to ask for when the data covers only the last column or two of a period. */
const FINER: Partial<Record<Series['bucket'], Span>> = {
  week: { since: '21d', bucket: 'day' },
  day: { since: '48h', bucket: 'hour' },
}
const FEW = 2

const firstUsed = ({ points }: Series): number => points.findIndex(({ total }) => total > 0)

/** Drops the empty columns before the first capture, as long as enough are left. */
export function fitted(series: Series): Series {
  const first = firstUsed(series)
  if (first <= 0) return series
  const from = Math.max(0, Math.min(first - 1, series.points.length - COLUMNS_MIN))
  return { ...series, points: series.points.slice(from) }
}

/** A part of a period: from the beginning of one column to the end of another, which is not part of it. */
export interface Range {
  from: string
  to: string
}

const DAY_MS = 86_400_000
/** Ranges up to so many days are drawn in these columns; longer ones in weeks. */
const BUCKETS: { days: number; bucket: Series['bucket'] }[] = [
  { days: 3, bucket: 'hour' },
  { days: 60, bucket: 'day' },
]
const LENGTHS: Record<Series['bucket'], number> = { hour: DAY_MS / 24, day: DAY_MS, week: 7 * DAY_MS }

/** The range that the columns of a series from `first` to `last` cover. */
export function rangeOf({ points, bucket }: Series, first: number, last: number): Range | undefined {
  const [from, end] = [points[first]?.at, points[last]?.at]
  if (from === undefined || end === undefined) return undefined
  return { from, to: new Date(Date.parse(end) + LENGTHS[bucket]).toISOString() }
}

/** Fetches the captures of a range, in columns that fit its length. */
export async function loadRange(by: Series['by'], { from, to }: Range): Promise<Series> {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS
  const bucket = BUCKETS.find((one) => days <= one.days)?.bucket ?? 'week'
  const found = await ask<Series>('/api/memory/series', { query: { by, since: from, bucket } })
  return { ...found, points: found.points.filter(({ at }) => Date.parse(at) < Date.parse(to)) }
}

/** Fetches the captures of a period, in columns that fit the time in which there were any. */
export async function loadSeries(by: Series['by'], { since, bucket }: Span): Promise<Series> {
  const load = (span: Span): Promise<Series> => ask<Series>('/api/memory/series', { query: { by, ...span } })
  const found = await load({ since, bucket })
  const first = firstUsed(found)
  const finer = FINER[bucket]
  const isShort = first >= 0 && found.points.length - first <= FEW
  return fitted(isShort && finer ? await load(finer) : found)
}
