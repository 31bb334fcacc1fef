import type { RecallHit } from '../native.js'

/** The mark of a text that says of itself that it does not hold. */
export const OVER = 'says that it is over'

/** Returns the mark after a record whose references are stale, with a leading space; empty when they are fresh. */
export function freshnessMark(freshness: RecallHit['freshness']): string {
  return freshness === undefined || freshness.state === 'unchanged' ? '' : ` [${freshness.state}: ${freshness.why}]`
}
