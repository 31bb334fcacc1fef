import type { RecallHit } from '../native.js'

/** A record as an agent reads it. */
export function noteLine({ type, confidence, text, createdAt, id, freshness }: RecallHit): string {
  return `[${type}] ${confidence} \u2014 ${text} (${createdAt.slice(0, 10)}, ${id})${freshnessMark(freshness)}`
}

/** What to write behind a record that names something which is not as it was; it begins with a space. */
export function freshnessMark(freshness: RecallHit['freshness']): string {
  return freshness === undefined || freshness.state === 'unchanged' ? '' : ` [${freshness.state}: ${freshness.why}]`
}
