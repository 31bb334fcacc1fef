// The parser of the Markdown of a text: it is large, and loaded when a text is shown.
import { Lexer, type Token } from 'marked'

export function lex(text: string): Token[] | undefined {
  try {
    return new Lexer({ gfm: true, breaks: true }).lex(text)
  } catch {
    // It is nested deeper than the parser can go.
    return undefined
  }
}
