import { problem } from '../../shared/problem.js'

const AGE = /^(\d{1,6})([mhdw])$/
const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Parses a time: ISO 8601, or an age such as `30m`, `12h`, `7d`, `2w`. Throws `INVALID_INPUT`. */
export function instantOf(text: string, now = Date.now()): string {
  const [, count, unit] = AGE.exec(text.trim()) ?? []
  const at = count === undefined ? Date.parse(text) : now - Number(count) * (UNIT_MS[unit ?? ''] ?? 0)
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) {
    throw problem('INVALID_INPUT', 'since: expected an ISO date or an age such as 7d')
  }
  return date.toISOString()
}
