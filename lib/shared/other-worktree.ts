import type { CaptureOutcome, RecallHit } from '../native.js'

/** Says where a record is that this memory does not have, such as `worktree api-2 (fix/auth), not committed there yet`. */
export function worktreeMark({ worktree }: RecallHit): string {
  return worktree === undefined ? '' : ` [${worktree.said}]`
}

/** Says that another worktree has the same text, which is stored here as well. */
export function notedInWorktree({ worktree }: CaptureOutcome): string[] {
  return worktree === undefined ? [] : [`the same is noted as ${worktree.id} in the ${worktree.said}`]
}
