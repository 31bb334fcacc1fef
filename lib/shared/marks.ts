import type { CaptureOutcome, RecallHit } from '../native.js'

/** The mark of a text that says of itself that it does not hold. */
export const OVER = 'says that it is over'

/** Returns the mark after a record whose references are stale, with a leading space; empty when they are fresh. */
export function freshnessMark(freshness: RecallHit['freshness']): string {
  return freshness === undefined || freshness.state === 'unchanged' ? '' : ` [${freshness.state}: ${freshness.why}]`
}

/** Says where a record is that this memory does not have, such as `worktree api-2 (fix/auth), not committed there yet`. */
export function worktreeMark({ worktree }: RecallHit): string {
  return worktree === undefined ? '' : ` [${worktree.said}]`
}

/** Says that another worktree has the same text, which is stored here as well. */
export function notedInWorktree({ worktree }: CaptureOutcome): string[] {
  return worktree === undefined ? [] : [`the same is noted as ${worktree.id} in the ${worktree.said}`]
}

const DAY_MS = 24 * 3600_000

/** Says that the clock of this machine is behind the newest record of the memory, and how the new one is dated. */
export function clockBehind({ clockBehindMs }: CaptureOutcome): string[] {
  if (clockBehindMs === undefined) return []
  const days = Math.floor(clockBehindMs / DAY_MS)
  return [`the clock of this machine is ${days} days behind the newest memory: the new one is dated like that one`]
}
