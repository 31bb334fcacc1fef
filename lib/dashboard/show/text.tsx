import { Fragment } from 'preact'
import { highlight } from '../../text/highlight.js'
import { oneLine, printable } from '../../text/printable.js'

export { oneLine, printable }

/** Control characters never survive `printable`, so they can mark where a match begins and ends. */
const BEGIN = '\u0001'
const END = '\u0002'

/** Text with the words that matched marked; it is only ever text, whatever it looks like. */
export function Marked({ text, matched }: { text: string; matched: string[] }) {
  const parts = highlight(text, matched, (word) => BEGIN + word + END).split(BEGIN)
  return (
    <>
      {parts.map((part, at) => {
        if (at === 0) return part
        const [word = '', rest = ''] = part.split(END)
        return (
          <Fragment key={at}>
            <mark>{word}</mark>
            {rest}
          </Fragment>
        )
      })}
    </>
  )
}

/** Only the end of an id differs between neighbours in time. */
export const shortId = (id: string): string => id.slice(-8)
