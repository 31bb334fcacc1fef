import type { RecallHit } from '../native.js'

/** Returns the mark after a record whose references are stale, with a leading space; empty when they are fresh. */
export function freshnessMark(freshness: RecallHit['freshness']): string {
  return freshness === undefined || freshness.state === 'unchanged' ? '' : ` [${freshness.state}: ${freshness.why}]`
}
