import type { RecallHit } from '../native.js'

/** A record as an agent reads it. */
export function noteLine({ type, confidence, text, createdAt, id, contradictedBy }: RecallHit): string {
  return `[${type}] ${confidence} \u2014 ${text} (${createdAt.slice(0, 10)}, ${id})${rivals(contradictedBy)}`
}

/** What contradicts it is said in the same line: who reads the note must not take it for certain. */
function rivals(list: RecallHit['contradictedBy']): string {
  const said = (list ?? []).map(({ text, createdAt, id }) => `${text} (${createdAt.slice(0, 10)}, ${id})`)
  return said.length === 0 ? '' : ` \u2014 CONTRADICTED BY: ${said.join('; ')}`
}
