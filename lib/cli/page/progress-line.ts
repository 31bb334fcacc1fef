import { bytes } from '../../text/printable.js'
import { bar } from './bar.js'
import type { Page } from './page.js'

/** The unit of a count. `KiB` are shown as bytes; `steps` are too unlike each other for a rate. */
export type Unit = 'bytes' | 'KiB' | 'records' | 'files' | 'texts' | 'vectors' | 'steps'

/** The state of long work. `total` is 0 before it is known. */
export interface WorkState {
  /** The work, as `importing`. */
  verb: string
  unit: Unit
  done: number
  total: number
  /** Since the first step, in milliseconds. */
  elapsedMs: number
}

const BAR_WIDTH = 20
const NARROW = 60
/** Before that, a rate would jump about. */
const RATE_AFTER_MS = 1000

/** Renders progress as one line: bar, share, amounts, rate and the time that is left, as far as there is room. */
export function progressLine(state: WorkState, page: Page): string {
  const { verb, done, total, elapsedMs } = state
  if (total <= 0) return joined([verb, time(elapsedMs)], page.width)
  const share = `${Math.floor((Math.min(done, total) / total) * 100)} %`.padStart(5)
  const cells = page.width < NARROW ? BAR_WIDTH / 2 : BAR_WIDTH
  const filled = bar(page, Math.min(done, total), total, cells)
  const plain = [verb, filled.padEnd(cells) + share, amounts(state), ...pace(state)]
  return joined(plain, page.width).replace(filled, () => page.paint('accent', filled))
}

function amounts({ unit, done, total }: WorkState): string {
  return unit === 'bytes' || unit === 'KiB'
    ? `${amount(unit, done)} of ${amount(unit, total)}`
    : `${count(done)} of ${count(total)} ${unit}`
}

/** The time that is left, and the rate that it is reckoned from. */
function pace({ unit, done, total, elapsedMs }: WorkState): string[] {
  if (elapsedMs < RATE_AFTER_MS || done <= 0 || done >= total) return []
  const perSecond = done / (elapsedMs / 1000)
  const left = `${time(((total - done) / perSecond) * 1000)} left`
  if (unit === 'steps') return [left]
  return [left, `${unit === 'bytes' || unit === 'KiB' ? amount(unit, perSecond) : count(perSecond)}/s`]
}

function amount(unit: Unit, value: number): string {
  return bytes(Math.round(unit === 'KiB' ? value * 1024 : value))
}

function count(value: number): string {
  return (value < 10 ? Math.round(value * 10) / 10 : Math.round(value)).toLocaleString('en')
}

function time(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}

/** Joins as many parts as fit on one line, the last column left free: a cursor there would wrap. */
function joined(parts: string[], width: number): string {
  let line = ''
  for (const part of parts) {
    const longer = line === '' ? part : `${line}  ${part}`
    if (longer.length > width - 1) break
    line = longer
  }
  return line
}
