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
