import { signal } from '@preact/signals'
import type { Token, Tokens } from 'marked'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { isEndless, linesOf, printable, scrolled } from '../show/text.js'

/** Longer texts are shown as they are: the parser takes quadratic time for some of them. */
const FORMATTED_MAX = 16 * 1024
/** A longer text scrolls in a frame, so that what can be done with it stays on the screen. */
const OPEN_MAX = 4000
/** Where a link may lead; everything else is shown as text. */
const SAFE = /^(?:https?:\/\/|mailto:)/i
const DEPTH_MAX = 12

/** Until the parser is loaded, a text is shown as it was written. */
const parser = signal<typeof import('./lex.js') | undefined>(undefined)

async function loadParser(): Promise<void> {
  // Without the server, the text stays as it is.
  if (parser.peek() === undefined) parser.value = await import('./lex.js').catch(() => undefined)
}

/** The text of a token as it was written, so that nothing unformatted is lost. */
const raw = (token: Token): string => printable(token.raw)

function inner(token: Token, depth: number): ComponentChildren {
  const tokens = 'tokens' in token ? token.tokens : undefined
  if (depth > DEPTH_MAX) return raw(token)
  return tokens ? all(tokens, depth + 1) : printable((token as Tokens.Text).text)
}

const all = (tokens: Token[], depth: number) => tokens.map((one, at) => <One key={at} token={one} depth={depth} />)

function Table({ header, rows }: Tokens.Table) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
    <table tabIndex={0}>
      <thead>
        <tr>
          {header.map(({ tokens }, at) => (
            <th key={at} scope="col">
              {all(tokens, 1)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>
            {row.map(({ tokens }, place) => (
              <td key={place}>{all(tokens, 1)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function List({ ordered, start, items }: Tokens.List, depth: number) {
  const rows = items.map((item, at) => (
    <li key={at} dir="auto">
      {inner(item, depth)}
    </li>
  ))
  return ordered ? <ol start={Number(start) || 1}>{rows}</ol> : <ul>{rows}</ul>
}

/** A token. Every element is made here, and HTML in the text is text. */
function One({ token, depth }: { token: Token; depth: number }): ComponentChildren {
  switch (token.type) {
    case 'space':
      return null
    case 'heading':
      // The headings of a text are no headings of the page.
      return (
        <p class={`md-heading md-heading-${Math.min(3, token.depth)}`} dir="auto">
          {inner(token, depth)}
        </p>
      )
    case 'paragraph':
    case 'blockquote': {
      const Block = token.type === 'paragraph' ? 'p' : 'blockquote'
      return <Block dir="auto">{inner(token, depth)}</Block>
    }
    case 'list':
      return List(token as Tokens.List, depth)
    case 'table':
      return Table(token as Tokens.Table)
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
        <pre tabIndex={0}>
          <code>{printable(token.text)}</code>
        </pre>
      )
    case 'hr':
      return <hr />
    case 'strong':
    case 'em':
    case 'del': {
      const Marked = token.type
      return <Marked>{inner(token, depth)}</Marked>
    }
    case 'codespan':
      return <code>{printable(token.text)}</code>
    case 'br':
      return <br />
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ '
    case 'link':
      // An address that was written as such is shown as it is.
      if (!SAFE.test(token.href)) return raw(token)
      return (
        <a href={token.href} target="_blank" rel="noopener noreferrer nofollow" title={printable(token.href)}>
          {inner(token, depth)}
        </a>
      )
    case 'text':
      return inner(token, depth)
    case 'escape':
      return printable(token.text)
    default:
      // HTML, images, definitions: as they were written.
      return raw(token)
  }
}

interface MarkdownProps {
  text: string
  /** `review-text` is a frame that scrolls. */
  class: 'entry-text' | 'review-text'
}

/** A text of a memory with its Markdown rendered, from elements that are made here: nothing in it becomes HTML. */
export function Markdown({ text, class: extra }: MarkdownProps) {
  useEffect(() => void loadParser(), [])
  const isPlain = text.length > FORMATTED_MAX || isEndless(text)
  const isFramed = extra === 'review-text' || text.length > OPEN_MAX
  const { lex } = parser.value ?? {}
  const tokens = useMemo(() => (isPlain ? undefined : lex?.(text)), [text, lex])
  return (
    <div
      class={`md ${tokens ? '' : 'is-plain'} ${isFramed ? 'is-framed' : ''} ${linesOf(text)} ${extra}`}
      dir={tokens ? undefined : 'auto'}
      {...(isFramed && scrolled(text))}
    >
      {tokens ? all(tokens, 0) : printable(text)}
    </div>
  )
}
