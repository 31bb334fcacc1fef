const AGES: [unit: string, ms: number][] = [
  ['y', 365 * 24 * 3600_000],
  ['mo', 30 * 24 * 3600_000],
  ['w', 7 * 24 * 3600_000],
  ['d', 24 * 3600_000],
  ['h', 3600_000],
]

/** Formats the age of an instant in its largest unit: `5h`, `3d`, `2mo`. Empty when the instant is not known. */
export function ageOf(instant: string, now = Date.now()): string {
  const ms = now - Date.parse(instant)
  if (Number.isNaN(ms)) return ''
  const [unit, size] = AGES.find(([, each]) => ms >= each) ?? ['', 0]
  return size === 0 ? 'new' : `${Math.floor(ms / size)}${unit}`
}

const SHORT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Reads a moment, in milliseconds since the epoch: an ISO date, or an age such as `30m`, `12h`, `7d` or `2w`; NaN for what is none. */
export function momentOf(text: string): number {
  const [, count, unit = ''] = /^(\d+)([mhdw])$/.exec(text) ?? []
  return count === undefined ? Date.parse(text) : Date.now() - Number(count) * (SHORT_MS[unit] ?? 0)
}

/** Reads an age that a person wrote, such as `36h`, `30d`, `12w` or `1y`, in milliseconds; undefined for what is none. */
export function msOfAge(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,5})([a-z]{1,2})$/.exec(text) ?? []
  const size = AGES.find(([name]) => name === unit)?.[1]
  return size === undefined ? undefined : Number(count) * size
}
