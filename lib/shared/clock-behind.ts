import type { CaptureOutcome } from '../native.js'

const DAY_MS = 24 * 3600_000

/** Says that the clock of this machine is behind the newest record of the memory, and how the new one is dated. */
export function clockBehind({ clockBehindMs }: CaptureOutcome): string[] {
  if (clockBehindMs === undefined) return []
  const days = Math.floor(clockBehindMs / DAY_MS)
  return [`the clock of this machine is ${days} days behind the newest memory: the new one is dated like that one`]
}
