import { signal } from '@preact/signals'

const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' })
const DAY_YEAR = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' })
const FULL = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' })
const TIME = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })
const HOUR = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Moves on every few seconds, so that "3 min ago" stays true. */
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
/** The time of day, with the day when it was another one. */
export function timeOrDay(instant: string): string {
  return new Date(instant).toDateString() === new Date(now.value).toDateString()
    ? time(instant)
    : `${day(instant)}, ${hour(instant)}`
}
export const day = (instant: string): string => shown(instant, DAY)

/** Shows how far away an instant is, in either direction; what is no instant is shown as it is. */
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
