// Whether a line of a page fits a terminal.
import cells from 'string-width'

/** Whether a line is as narrow as that, a command, or ends in one word that is wider and stays whole, alone or beside its name. */
export function fits(line, columns) {
  const [last] = line
    .replace(/^(error:|hint:|warning:|\d+\.) /, '')
    .trim()
    .split(/ {2,}/)
    .slice(-1)
  return cells(line) <= columns || !last.includes(' ') || /^ *(Usage: )?forge-memory /.test(line)
}
