import { replaceHidden } from './hidden.js'

function escapeVisibly(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

/**
 * Makes text safe to print: what a terminal would act upon and what hides or reorders text becomes visible as `\u{1b}`. Line
 * feeds and tabs stay.
 */
export function printable(text: string): string {
  return replaceHidden(text.replaceAll('\r\n', '\n'), escapeVisibly)
}

/** Like [printable], with every run of white space made one space, for tables and one-line notes. */
export function oneLine(text: string): string {
  return printable(text.replace(WHITE_SPACE, ' ').replace(/^ | $/g, ''))
}

/** White space as the engine defines it: unlike in JavaScript, a byte order mark is not white space. */
const WHITE_SPACE = /(?:[^\S\ufeff]|\u0085)+/g

/** Serialises a value so that even the characters JSON leaves alone reach a terminal only as escapes. */
export function printableJson(value: unknown, indent: number): string {
  // JSON.stringify breaks lines with a bare line feed, which is not hidden, so all that is found is inside a string. Line by line,
  // because one odd character would have a whole document taken apart.
  const lines = JSON.stringify(value, null, indent).split('\n')
  return lines.map((line) => replaceHidden(line, escapeForJson)).join('\n')
}

function escapeForJson(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  }).join('')
}
