import wrapAnsi from 'wrap-ansi'
import { SPACE_AHEAD } from './terminal.js'

/** Wraps lines to the given number of terminal cells. Wide characters count as two cells, colour codes as none. */
export function wrap(text: string, cells: number): string {
  const lines = text.split('\n')
  return lines.map((line) => wrapped(line, cells)).join('\n')
}

function wrapped(line: string, cells: number): string {
  const [first = '', ...rest] = wrapAnsi(line, cells, { hard: true, trim: false }).split('\n')
  return [first, ...rest.map((part) => part.replace(SPACE_AHEAD, '$1'))].join('\n')
}
