import { signal } from '@preact/signals'

const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' })
const DAY_YEAR = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' })
const FULL = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' })
const TIME = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })
const HOUR = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** The current time, updated every few seconds, so that relative times stay right. */
export const now = signal(Date.now())
window.setInterval(() => {
  now.value = Date.now()
}, 15_000)

function shown(instant: string, format: Intl.DateTimeFormat): string {
  const at = new Date(instant)
  return Number.isNaN(at.getTime()) ? instant : format.format(at)
}

export const full = (instant: string): string => shown(instant, FULL)
export const time = (instant: string): string => shown(instant, TIME)
export const hour = (instant: string): string => shown(instant, HOUR)
/** Formats the time of day, with the date when it is not today. */
export function timeOrDay(instant: string): string {
  return new Date(instant).toDateString() === new Date(now.value).toDateString()
    ? time(instant)
    : `${day(instant)}, ${hour(instant)}`
}
export const day = (instant: string): string => shown(instant, DAY)

/** The date of an instant on this machine, such as `2026-11-22`; `shiftMs` later. */
export function dateOf(instant: string, shiftMs = 0): string {
  const at = new Date(Date.parse(instant) + shiftMs)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

/** Returns the first day of a week such as `2026-W47`. Invalid values are returned unchanged. */
export function mondayOf(week: string): string {
  const [, year, number] = /^(\d{4})-W(\d{2})$/.exec(week) ?? []
  if (year === undefined || number === undefined) return week
  // January 4 is in the first week.
  const fourth = new Date(Number(year), 0, 4)
  const weekday = (fourth.getDay() + 6) % 7
  return new Date(Number(year), 0, 4 - weekday + 7 * (Number(number) - 1)).toISOString()
}

/** Names a day such as `2026-11-22`. Invalid values are returned unchanged. */
export function dayName(date: string): string {
  const at = new Date(`${date}T00:00:00`)
  if (Number.isNaN(at.getTime())) return date
  const days = Math.round((new Date(now.value).setHours(0, 0, 0, 0) - at.getTime()) / DAY_MS)
  if (days === 0) return 'Today'
  return days === 1 ? 'Yesterday' : DAY_YEAR.format(at)
}

/** Formats a relative time, past or future. Invalid values are returned unchanged. */
export function distance(instant: string): string {
  const at = new Date(instant).getTime()
  if (Number.isNaN(at)) return instant
  const away = Math.abs(now.value - at)
  const words = ((): string => {
    if (away < 45_000) return ''
    if (away < HOUR_MS) return `${Math.max(1, Math.round(away / MINUTE_MS))} min`
    if (away < DAY_MS) return `${Math.round(away / HOUR_MS)} h`
    if (away < 45 * DAY_MS) return `${Math.round(away / DAY_MS)} d`
    return ''
  })()
  if (words === '') return away < 45_000 ? 'just now' : DAY_YEAR.format(at)
  return at <= now.value ? `${words} ago` : `in ${words}`
}
