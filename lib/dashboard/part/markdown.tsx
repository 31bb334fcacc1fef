import { Lexer, type Token, type Tokens } from 'marked'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { printable } from '../show/text.js'

/** Longer texts are shown as they are: the parser takes quadratic time for some of them. */
const FORMATTED_MAX = 16 * 1024
/** Runs that no one writes, and that the parser takes long for. */
const HOSTILE = /\S{2000}|[ \t]{500}/
/** Where a link may lead; everything else is shown as text. */
const SAFE = /^(?:https?:\/\/|mailto:)/i
const DEPTH_MAX = 12

function tokensOf(text: string): Token[] | undefined {
  if (text.length > FORMATTED_MAX || HOSTILE.test(text)) return undefined
  try {
    return new Lexer({ gfm: true, breaks: true }).lex(text)
  } catch {
    // It is nested deeper than the parser can go.
    return undefined
  }
}

/** The text of a token as it was written: what is not formatted is not lost. */
const raw = (token: Token): string => printable(token.raw)

function Link({ href, children }: { href: string; children: ComponentChildren }) {
  if (!SAFE.test(href)) return <>{children}</>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={printable(href)}>
      {children}
    </a>
  )
}

function inner(token: Token, depth: number): ComponentChildren {
  const tokens = 'tokens' in token ? token.tokens : undefined
  if (depth > DEPTH_MAX) return raw(token)
  return tokens
    ? tokens.map((one, at) => <One key={at} token={one} depth={depth + 1} />)
    : printable((token as Tokens.Text).text)
}

function Table({ header, rows }: Tokens.Table) {
  return (
    <table>
      <thead>
        <tr>
          {header.map((cell, at) => (
            <th key={at} scope="col">
              {cell.tokens.map((one, place) => (
                <One key={place} token={one} depth={1} />
              ))}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, place) => (
              <td key={place}>
                {cell.tokens.map((one, key) => (
                  <One key={key} token={one} depth={1} />
                ))}
              </td>
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
      return <p dir="auto">{inner(token, depth)}</p>
    case 'blockquote':
      return <blockquote dir="auto">{inner(token, depth)}</blockquote>
    case 'list':
      return List(token as Tokens.List, depth)
    case 'table':
      return Table(token as Tokens.Table)
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre tabIndex={0}>
          <code>{printable(token.text)}</code>
        </pre>
      )
    case 'hr':
      return <hr />
    case 'strong':
      return <strong>{inner(token, depth)}</strong>
    case 'em':
      return <em>{inner(token, depth)}</em>
    case 'del':
      return <del>{inner(token, depth)}</del>
    case 'codespan':
      return <code>{printable(token.text)}</code>
    case 'br':
      return <br />
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ '
    case 'link':
      // An address that was written as such is shown as it is.
      return SAFE.test(token.href) ? <Link href={token.href}>{inner(token, depth)}</Link> : raw(token)
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
  class?: string
}

/** A text of a memory with its Markdown rendered, from elements that are made here: nothing in it becomes HTML. */
export function Markdown({ text, class: extra = '' }: MarkdownProps) {
  const tokens = useMemo(() => tokensOf(text), [text])
  if (tokens === undefined)
    return (
      <div class={`md is-plain ${extra}`} dir="auto">
        {printable(text)}
      </div>
    )
  return (
    <div class={`md ${extra}`}>
      {tokens.map((token, at) => (
        <One key={at} token={token} depth={0} />
      ))}
    </div>
  )
}
