import { styleText } from 'node:util'
import { isTerminal } from './terminal.js'

/** The width to lay text out for when neither a terminal nor COLUMNS says one: every line stays whole. */
const UNLIMITED = Number.POSITIVE_INFINITY
const WIDTH_MIN = 40

type Style = Parameters<typeof styleText>[0]
type Environment = Record<string, string | undefined>

/** What text is written on: how wide it is, and what can be shown on it. */
export interface Page {
  width: number
  colored: boolean
  /** Whether bars and marks may use characters outside ASCII. Stored text is never changed by this. */
  unicode: boolean
  paint(style: Style, text: string): string
  /** Breaks lines longer than the given number of terminal cells; a page without an edge breaks none. */
  wrap(text: string, cells: number): string
}

/** Tells whether colours may be written: never with NO_COLOR, always with FORCE_COLOR, else only to a terminal. */
function hasColors(descriptor: number, env: Environment): boolean {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  return env.TERM !== 'dumb' && isTerminal(descriptor)
}

function hasUnicode(env: Environment, platform: string): boolean {
  if (platform === 'win32') return Boolean(env.WT_SESSION || env.TERM_PROGRAM || env.ConEmuTask)
  return /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || '')
}

/** Returns the number of cells in a line behind a file descriptor: COLUMNS if set, else what the terminal says. */
export function widthOf(descriptor: number, env: Environment = process.env): number {
  const columns = Number(env.COLUMNS)
  if (Number.isInteger(columns) && columns > 0) return Math.max(columns, WIDTH_MIN)
  if (!isTerminal(descriptor)) return UNLIMITED
  // Asking process.stdout costs milliseconds when it is a pipe, so it is only asked when it is a terminal.
  const stream = descriptor === 2 ? process.stderr : process.stdout
  return Math.max(stream.columns || 80, WIDTH_MIN)
}

/** Returns the function that colours text for a file descriptor (1 is standard output, 2 standard error). */
export function painterFor(descriptor: number, env: Environment = process.env): Page['paint'] {
  return hasColors(descriptor, env) ? painted : (_style, text) => text
}

function painted(style: Style, text: string): string {
  // Newer releases of Node look at the stream themselves unless told not to; older ones take no third argument.
  const paint = styleText as (style: Style, text: string, options: { validateStream: boolean }) => string
  return paint(style, text, { validateStream: false })
}

/** Describes the page behind a file descriptor. What wraps text is loaded only for a page that has an edge. */
export async function openPage(descriptor: number, env: Environment = process.env): Promise<Page> {
  const width = widthOf(descriptor, env)
  const { wrap } = width === UNLIMITED ? { wrap: (text: string) => text } : await import('./wrap.js')
  return {
    width,
    colored: hasColors(descriptor, env),
    unicode: hasUnicode(env, process.platform),
    paint: painterFor(descriptor, env),
    wrap,
  }
}
