import { Fragment } from 'preact'
import { oneLine, printable } from '../../text/printable.js'

export { oneLine, printable }

/** A text with its highlights marked. It is rendered as text, never as HTML. */
export function Marked({ text, highlights }: { text: string; highlights: Array<{ start: number; end: number }> }) {
  const endBefore = (at: number) => highlights[at - 1]?.end ?? 0
  return (
    <>
      {highlights.map(({ start, end }, at) => (
        <Fragment key={start}>
          {printable(text.slice(endBefore(at), start))}
          <mark>{printable(text.slice(start, end))}</mark>
        </Fragment>
      ))}
      {printable(text.slice(endBefore(highlights.length)))}
    </>
  )
}

/** True if every word of a query is in a text, whatever their case. */
export function hasWords(text: string, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/)
  return words.every((word) => text.toLowerCase().includes(word))
}

/** The end of an id: ids sort by time, so neighbours differ only there. */
export const shortId = (id: string): string => id.slice(-8)

/** Runs that no one writes, and that parsers and browsers take long for. */
const ENDLESS = /\S{2000}|[ \t]{500}/

export const isEndless = (text: string): boolean => ENDLESS.test(text)

/** A class for the lines of a text: where a word is endless, the browser would weigh each pair of its letters, for minutes. */
export const linesOf = (text: string): string => (isEndless(text) ? 'is-endless' : '')

/** Makes the frame of a text a tab stop where the text may be too long for it, so that the keyboard can scroll it. */
export function scrolled(text: string): { tabIndex?: number } {
  return text.length > 400 || text.split('\n', 9).length > 8 ? { tabIndex: 0 } : {}
}

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
