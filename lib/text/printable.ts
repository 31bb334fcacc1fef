import { replaceHidden } from './hidden.js'
import { breakJsonWrappers, breakWrappers } from './wrappers.js'

function escapeVisibly(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

/**
 * Makes text safe to print: terminal control characters, and characters that hide or reorder text, are shown as escapes
 * such as `\u{1b}`. Line feeds and tabs stay. The tags of agents' hosts are shown broken: an agent reads what its shell prints.
 */
export function printable(text: string): string {
  return breakWrappers(replaceHidden(text.replaceAll('\r\n', '\n'), escapeVisibly))
}

/** Like [printable], but collapses every run of white space to one space; for tables and one-line notes. */
export function oneLine(text: string): string {
  return printable(text.replace(WHITE_SPACE, ' ').replace(/^ | $/g, ''))
}

/** White space as the engine defines it: unlike in JavaScript, a byte order mark is not white space. */
const WHITE_SPACE = /(?:[^\S\ufeff]|\u0085)+/g

/** Serializes a value to JSON, and escapes what JSON leaves as it is: control and invisible characters, and the tags of agents' hosts. */
export function printableJson(value: unknown, indent: number): string {
  // `JSON.stringify` separates lines with a line feed, which is not escaped here, so every character to escape is
  // inside a string. Works line by line, so that one such character takes only its own line off the fast path.
  const lines = JSON.stringify(value, null, indent).split('\n')
  return lines.map((line) => breakJsonWrappers(replaceHidden(line, escapeForJson))).join('\n')
}

function escapeForJson(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  }).join('')
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** Formats a number of bytes with the largest suitable unit. */
export function bytes(count: number): string {
  let value = count
  let unit = 0
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`
}

/** Formats a count with its noun: "1 memory", "2 memories". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
