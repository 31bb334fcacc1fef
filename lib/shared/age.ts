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
