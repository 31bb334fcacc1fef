// JSON with comments (JSONC), the format of agents' and editors' settings. The scanner of `jsonc-parser` takes linear
// time, which matters because the text may come from a clone.
import { createScanner } from 'jsonc-parser'

/** The token kinds of the scanner: its `const enum` does not exist at run time. */
export const TOKEN = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  comma: 5,
  lineComment: 12,
  blockComment: 13,
  lineBreak: 14,
  blank: 15,
  end: 17,
} as const

/** A token with its kind and its start and end offsets. */
export interface Token {
  kind: number
  start: number
  end: number
}

/** Yields every token, including white space and comments. */
export function* tokensOf(text: string): Generator<Token> {
  const scanner = createScanner(text)
  for (let kind: number = scanner.scan(); kind !== TOKEN.end; kind = scanner.scan()) {
    const start = scanner.getTokenOffset()
    yield { kind, start, end: start + scanner.getTokenLength() }
  }
}

export const isComment = ({ kind }: Token): boolean => kind === TOKEN.lineComment || kind === TOKEN.blockComment
export const isBlank = ({ kind }: Token): boolean => kind === TOKEN.blank || kind === TOKEN.lineBreak
const opens = ({ kind }: Token) => kind === TOKEN.openBrace || kind === TOKEN.openBracket
const closes = ({ kind }: Token) => kind === TOKEN.closeBrace || kind === TOKEN.closeBracket

/**
 * Returns the nesting depth of objects and arrays. Parsers recurse once per level, so a deep document would overflow
 * the stack.
 */
export function depthOf(text: string): number {
  let [level, deepest] = [0, 0]
  for (const token of tokensOf(text)) {
    if (opens(token)) deepest = Math.max(deepest, ++level)
    else if (closes(token)) level--
  }
  return deepest
}

/** Removes comments and trailing commas, but not their look-alikes inside of strings. */
export function withoutComments(text: string): string {
  const parts: string[] = []
  let comma: number | undefined
  for (const token of tokensOf(text)) {
    if (closes(token) && comma !== undefined) parts[comma] = ''
    if (!isBlank(token) && !isComment(token)) comma = token.kind === TOKEN.comma ? parts.length : undefined
    parts.push(isComment(token) ? ' ' : text.slice(token.start, token.end))
  }
  return parts.join('')
}
