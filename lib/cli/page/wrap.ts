import wrapAnsi from 'wrap-ansi'

/** The space at which a line was broken; colours may begin before it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the code of a colour begins with one
const BREAK = /^((?:\u001b\[[0-9;]*m)*) /

/** Wraps lines to the given number of terminal cells. Wide characters count as two cells, colour codes as none. */
export function wrap(text: string, cells: number): string {
  const lines = text.split('\n')
  return lines.map((line) => wrapped(line, cells)).join('\n')
}

function wrapped(line: string, cells: number): string {
  const [first = '', ...rest] = wrapAnsi(line, cells, { hard: true, trim: false }).split('\n')
  return [first, ...rest.map((part) => part.replace(BREAK, '$1'))].join('\n')
}
