// JSON with comments (JSONC), as agents and editors keep their settings. The scanner of `jsonc-parser` reads a text once, from
// front to back, so that no text of a clone can make it take long.
import { createScanner } from 'jsonc-parser'

/** The scanner's token kinds by name: its own enum has no names at run time. */
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

/** A piece of the text: its kind, and where it begins and ends. */
export interface Token {
  kind: number
  start: number
  end: number
}

/** Yields every token, blanks and comments too. */
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

/** Returns how many objects and lists stand inside of each other at most. Parsers call themselves once a level. */
export function depthOf(text: string): number {
  let [level, deepest] = [0, 0]
  for (const token of tokensOf(text)) {
    if (opens(token)) deepest = Math.max(deepest, ++level)
    else if (closes(token)) level--
  }
  return deepest
}

/** Takes comments and trailing commas out of JSON; what looks like one inside of a string stays. */
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
