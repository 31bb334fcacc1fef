import type { RecallHit } from '../native.js'

/** A record as an agent reads it. */
export function noteLine({ type, confidence, text, createdAt, id }: RecallHit): string {
  return `[${type}] ${confidence} \u2014 ${text} (${createdAt.slice(0, 10)}, ${id})`
}
