import wrapAnsi from 'wrap-ansi'

/** Wraps lines to the given number of terminal cells. Wide characters count as two cells, colour codes as none. */
export function wrap(text: string, cells: number): string {
  return wrapAnsi(text, cells, { hard: true, trim: false })
}
