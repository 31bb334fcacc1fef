import type { CaptureOutcome, RecallHit } from '../native.js'

/** Says where a record is that this memory does not have, such as `worktree api-2 (fix/auth), not committed there yet`. */
export function elsewhereMark({ elsewhere }: RecallHit): string {
  return elsewhere === undefined ? '' : ` [${elsewhere.said}]`
}

/** Says that another worktree has the same text, which is stored here as well. */
export function notedElsewhere({ elsewhere }: CaptureOutcome): string[] {
  return elsewhere === undefined ? [] : [`the same is noted as ${elsewhere.id} in the ${elsewhere.said}`]
}
