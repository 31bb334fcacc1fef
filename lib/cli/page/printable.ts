/**
 * Characters that stored text must not send to a terminal: controls (C0 but line feed and tab, DEL, C1), the marks that
 * reorder text, invisible separators, and the "tag" block that can hide whole sentences.
 */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

function escapeVisibly(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

/** Makes text safe to print: what a terminal would act upon becomes visible as `\u{1b}`. Line feeds and tabs stay. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSAFE, escapeVisibly)
}

/** Like [printable], with every run of white space made one space, for tables and one-line notes. */
export function oneLine(text: string): string {
  return printable(text.trim().replace(/\s+/g, ' '))
}

/** Serialises a value so that even the characters JSON leaves alone reach a terminal only as escapes. */
export function printableJson(value: unknown, indent: number): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE, (character) => {
    // JSON.stringify breaks lines with a bare line feed, which UNSAFE does not hold, so all found here is inside a string.
    return Array.from({ length: character.length }, (_, at) => {
      return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
    }).join('')
  })
}
