import { styleText } from 'node:util'
import type { Environment } from '../../shared/environment.js'
import { oneLine } from '../../text/printable.js'
import { hasHyperlinks, hyperlink } from './hyperlink.js'
import { coloured, isTerminal } from './terminal.js'
import { KIND_COLOURS, ROLE_COLOURS, type Role, THEME } from './theme.js'

/** The width when neither a terminal nor COLUMNS gives one: lines are not wrapped. */
const UNLIMITED = Number.POSITIVE_INFINITY
const WIDTH_MIN = 40

/** The properties of the output: its width, and whether it supports colours and Unicode. */
export interface Page {
  width: number
  colored: boolean
  /** True if bars and symbols may use characters outside ASCII. Stored text is never changed. */
  unicode: boolean
  paint(role: Role, text: string): string
  /** Paints the name of a type in its colour. */
  kind(type: string): string
  /** Makes a text a link to a file, by its absolute path, where the terminal shows links. */
  link(path: string, text: string): string
  /** Wraps lines to the given number of terminal cells; a page of unlimited width wraps none. */
  wrap(text: string, cells: number): string
}

/** True if to use colours: never with NO_COLOR, always with FORCE_COLOR, else only on a terminal. */
function hasColors(descriptor: number, env: Environment): boolean {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  return env.TERM !== 'dumb' && isTerminal(descriptor)
}

function hasUnicode(env: Environment, platform: string): boolean {
  if (platform === 'win32') return Boolean(env.WT_SESSION || env.TERM_PROGRAM || env.ConEmuTask)
  return /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || '')
}

/** Returns the width of a file descriptor: COLUMNS if set, else that of the terminal. */
export function widthOf(descriptor: number, env: Environment = process.env): number {
  const columns = Number(env.COLUMNS)
  if (Number.isInteger(columns) && columns > 0) return Math.max(columns, WIDTH_MIN)
  if (!isTerminal(descriptor)) return UNLIMITED
  // Accessing `process.stdout` costs milliseconds when it is a pipe, so it is done only for a terminal.
  const stream = descriptor === 2 ? process.stderr : process.stdout
  return Math.max(stream.columns || 80, WIDTH_MIN)
}

/** Returns the function that colours text for a file descriptor (1 is standard output, 2 standard error). */
export function painterFor(descriptor: number, env: Environment = process.env): Page['paint'] {
  if (!hasColors(descriptor, env)) return (_role, text) => text
  return hasManyColors(descriptor, env) ? richlyPainted : painted
}

/** True for a terminal of 256 colours. */
function hasManyColors(descriptor: number, env: Environment): boolean {
  const isRich = /256/.test(env.TERM ?? '') || Boolean(env.COLORTERM)
  return hasColors(descriptor, env) && (env.FORCE_COLOR === undefined ? isRich : Number(env.FORCE_COLOR) >= 2)
}

export function kindPainterFor(descriptor: number, env: Environment = process.env): Page['kind'] {
  const paint = painterFor(descriptor, env)
  const hasMany = hasManyColors(descriptor, env)
  return (type) => {
    const colour = hasMany ? KIND_COLOURS[type] : undefined
    return colour === undefined ? paint('accent', oneLine(type)) : coloured(type, colour)
  }
}

function richlyPainted(role: Role, text: string): string {
  const colour = ROLE_COLOURS[role]
  return colour === undefined || text === '' ? painted(role, text) : coloured(text, colour)
}

function painted(role: Role, text: string): string {
  const style = THEME[role]
  if (style.length === 0 || text === '') return text
  // Newer releases of Node check the stream themselves unless `validateStream` is false; older ones ignore the
  // argument.
  const paint = styleText as (style: readonly string[] | string, text: string, options: object) => string
  return paint(style, text, { validateStream: false })
}

/** Describes a file descriptor as a page. The wrapping code is loaded only for a page of limited width. */
export async function openPage(descriptor: number, env: Environment = process.env): Promise<Page> {
  const width = widthOf(descriptor, env)
  const { wrap } = width === UNLIMITED ? { wrap: (text: string) => text } : await import('./wrap.js')
  return {
    width,
    colored: hasColors(descriptor, env),
    unicode: hasUnicode(env, process.platform),
    paint: painterFor(descriptor, env),
    kind: kindPainterFor(descriptor, env),
    link: hasHyperlinks(isTerminal(descriptor), env) ? hyperlink : (_path, text) => text,
    wrap,
  }
}

/** Indents every line of a text, and wraps lines to the width of the page. */
export function indent(text: string, by: number, page: Page): string {
  return page
    .wrap(text, page.width - by)
    .split('\n')
    .map((line) => `${' '.repeat(by)}${line}`.trimEnd())
    .join('\n')
}

/** Wraps lines to the width of the page; a line that is indented goes on below its beginning. */
export function sentences(text: string, page: Page): string {
  return text
    .split('\n')
    .map((line) => indent(line.trimStart(), line.length - line.trimStart().length, page))
    .join('\n')
}
