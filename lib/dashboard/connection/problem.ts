import { messageOf } from '../../shared/problem.js'
/** A failure with a hint about what to do. Every error of the page becomes one. */
export class Problem extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint: string,
    readonly status = 0,
  ) {
    super(message)
  }
}

const HINTS: Record<string, string> = {
  INVALID_INPUT: 'Correct what the message names and try again.',
  NOT_FOUND: 'It may have been forgotten elsewhere. Go back to the list to see what is there.',
  IO: 'Check permissions and free space in the project folder, then try again.',
  LOCKED: 'Another process is writing. Try again in a moment; “forge-memory doctor” tells more if it lasts.',
  CORRUPT: 'Run “forge-memory doctor”: it names the file and the line.',
  UNSUPPORTED: 'Update forge-memory.',
  UNAUTHORIZED: 'Open the address that “forge-memory serve” printed last; the server was started again since.',
  FORBIDDEN: 'Open the page by the address that “forge-memory serve” printed, not by another host name.',
  TOO_LARGE: 'Make it shorter: a memory has room for 65,536 bytes.',
  UNAVAILABLE: 'This part is not set up in this project.',
  UNREACHABLE: 'Start the server again with “forge-memory serve” (or “npm start”); this page reconnects by itself.',
}
const FALLBACK_HINT = 'Try again; “forge-memory doctor” looks for damage.'

/** Returns a hint that fits the page: the server's own hints name commands of the terminal. */
export function hintFor(code: string, given?: string): string {
  return HINTS[code] ?? given ?? FALLBACK_HINT
}

export function asProblem(cause: unknown): Problem {
  if (cause instanceof Problem) return cause
  return new Problem('INTERNAL', messageOf(cause), FALLBACK_HINT)
}
