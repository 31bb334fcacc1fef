import { oneLine } from '../../text/printable.js'

/** The first of the files that were not read, and why. */
export function notRead(problems: { path: string; reason: string }[], shownMax = 5): string {
  if (problems.length === 0) return ''
  const shown = problems.slice(0, shownMax).map(({ path, reason }) => `  ${oneLine(path)}: ${oneLine(reason)}`)
  const rest = problems.length - shown.length
  return ['Not read:', ...shown, ...(rest > 0 ? [`  and ${rest} more`] : [])].join('\n')
}
