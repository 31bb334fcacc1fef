// Declarations in source code, found by patterns in place of a grammar: for files that no code graph knows.

/** The prefix of a file that is searched. */
export const FILE_READ_MAX = 256 * 1024
/** The shortest line by which an edit is found in its file. */
const LINE_CHARS_MIN = 6

const DECLARATION =
  /\b(?:function\*?|class|interface|type|enum|struct|trait|impl|fn|func|fun|def|defp|defmodule|const|let|var|module|namespace|object|record|macro|macro_rules!)\s+([A-Za-z_$][\w$]{3,63})|^[ \t]*(?:[\w:<>,*&[\]]{1,60}[ \t]+){0,4}(?:[A-Za-z_$][\w$]{0,63}::)?([A-Za-z_$][\w$]{3,63})\s*\([^)\n]{0,200}\)\s*(?::[^{\n]{1,80})?\{/gm
const ASSIGNMENT = /^[ \t]*["']?([A-Za-z_$][\w$]{3,63})["']?[ \t]*(?:=>|[:=](?![:=]))/gm

/** Returns the names that a text declares. */
export function declaredIn(text: string): string[] {
  return [...text.slice(0, FILE_READ_MAX).matchAll(DECLARATION)].flatMap(([, one, other]) => one ?? other ?? [])
}

/** Returns the settings, fields and variables that a text assigns. */
export function assignedIn(text: string): string[] {
  return [...text.slice(0, FILE_READ_MAX).matchAll(ASSIGNMENT)].flatMap(([, name]) => name ?? [])
}

/** Returns the names of the declarations around an edit in a file, the outermost first. `text` is what is replaced, or what replaced it. */
export function declarationsAround(file: string, text: string): string[] {
  const at = placeOf(file, text)
  if (at === undefined) return []
  const around: { indent: number; name: string }[] = []
  for (const match of file.matchAll(DECLARATION)) {
    const start = match.index + (match[0].length - match[0].trimStart().length)
    if (start >= at) break
    const indent = indentAt(file, start)
    while ((around.at(-1)?.indent ?? -1) >= indent) around.pop()
    around.push({ indent, name: match[1] ?? match[2] ?? '' })
  }
  const own = indentAt(file, at)
  return around.filter(({ indent }) => indent < own).map(({ name }) => name)
}

/** Returns where the first line of an edit is in the file; undefined when it is in none or in several places. */
function placeOf(file: string, text: string): number | undefined {
  const line = text
    .split('\n')
    .find((each) => each.trim().length >= LINE_CHARS_MIN)
    ?.trim()
  if (line === undefined) return undefined
  const whole = file.indexOf(text)
  const at = whole >= 0 ? whole + text.indexOf(line) : file.indexOf(line)
  return at < 0 || (whole < 0 && file.indexOf(line, at + 1) >= 0) ? undefined : at
}

function indentAt(file: string, at: number): number {
  const start = file.lastIndexOf('\n', at) + 1
  return (file.slice(start, at).match(/^[ \t]*/)?.[0] ?? '').replaceAll('\t', '    ').length
}
