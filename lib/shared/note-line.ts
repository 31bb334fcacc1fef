import type { RecallHit } from '../native.js'

/** A record as an agent reads it. */
export function noteLine({ type, confidence, text, createdAt, id, freshness, contradictedBy }: RecallHit): string {
  const marks = `${freshnessMark(freshness)}${rivals(contradictedBy)}`
  return `[${type}] ${confidence} \u2014 ${text} (${createdAt.slice(0, 10)}, ${id})${marks}`
}

/** What to write behind a record that names something which is not as it was; it begins with a space. */
export function freshnessMark(freshness: RecallHit['freshness']): string {
  return freshness === undefined || freshness.state === 'unchanged' ? '' : ` [${freshness.state}: ${freshness.why}]`
}

/** What contradicts it is said in the same line: who reads the note must not take it for certain. */
function rivals(list: RecallHit['contradictedBy']): string {
  const said = (list ?? []).map(({ text, createdAt, id }) => `${text} (${createdAt.slice(0, 10)}, ${id})`)
  return said.length === 0 ? '' : ` \u2014 CONTRADICTED BY: ${said.join('; ')}`
}
