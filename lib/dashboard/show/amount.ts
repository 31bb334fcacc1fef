const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

export { bytes } from '../../text/printable.js'

export const whole = (value: number): string => WHOLE.format(value)
export const short = (value: number): string => (value < 10_000 ? WHOLE.format(value) : SHORT.format(value))

/** Formats a ratio as a percentage; a dash when the total is zero. */
export function percent(part: number, all: number): string {
  return all === 0 ? '–' : PERCENT.format(part / all)
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${whole(count)} ${count === 1 ? one : many}`
}

export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${WHOLE.format(milliseconds)} ms`
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`
}
