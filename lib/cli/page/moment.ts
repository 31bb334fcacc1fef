import { ageOf } from '../../shared/age.js'

function two(value: number): string {
  return String(value).padStart(2, '0')
}

/** Formats a timestamp as a date in the local time zone. An invalid timestamp is returned unchanged. */
export function date(instant: string): string {
  const at = new Date(instant)
  if (Number.isNaN(at.getTime())) return instant
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

export function dateTime(instant: string): string {
  const at = new Date(instant)
  return Number.isNaN(at.getTime()) ? instant : `${date(instant)} ${two(at.getHours())}:${two(at.getMinutes())}`
}

const YEAR_MS = 366 * 86_400_000

/** A day of the next twelve months as `26 Feb`, and any other with its year. */
export function dayOfYear(instant: string): string {
  const [, month = '', day = '', year = ''] = new Date(instant).toDateString().split(' ')
  const ahead = new Date(instant).getTime() - Date.now()
  const isNear = ahead >= 0 && ahead <= YEAR_MS
  return `${Number(day)} ${month}${isNear ? '' : ` ${year}`}`
}

/** Says how long ago something was, or, where dates are asked for, when. */
export function when(instant: string, dates = false): string {
  return dates ? date(instant) : ageOf(instant)
}
