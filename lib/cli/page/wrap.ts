import wrapAnsi from 'wrap-ansi'

/** Breaks lines longer than the given number of terminal cells, counting wide characters double and colours not at all. */
export function wrap(text: string, cells: number): string {
  return wrapAnsi(text, cells, { hard: true, trim: false })
}
