import { codeOf, hintOf, messageOf, Problem as SharedProblem } from '../shared/problem.js'
import { oneLine } from '../text/printable.js'

interface Details {
  hint?: string
  outcome?: unknown
  page?: string
}

/** An error of the command line, in the format of the engine's errors. */
export class Failure extends SharedProblem {
  /** The result that the library returned instead of throwing. Printed with `--json`. */
  readonly outcome: unknown
  /** Text for people that replaces code, message and hint. */
  readonly page: string | undefined

  constructor(code: string, message: string, { hint, outcome, page }: Details = {}) {
    super(code, message, hint)
    this.outcome = outcome
    this.page = page
  }
}

/** The printed parts of an error. */
export interface Problem {
  code: string
  message: string
  hint?: string
}

/** Returns 2 for invalid usage or input, 1 for every other failure. */
export function exitCodeOf(problem: Problem): number {
  return problem.code === 'INVALID_INPUT' ? 2 : 1
}

/** Redacts secrets: errors quote the command line, and end up in logs. */
export type Redact = (text: string) => string

/** Describes anything that was thrown. An error without a stable code is reported as a defect. */
export function describe(error: unknown, redact: Redact = (text) => text): Problem {
  const code = codeOf(error)
  const hint = hintOf(error)
  const message = oneLine(redact(fullMessageOf(error)))
  return hint === undefined ? { code, message } : { code, message, hint: oneLine(redact(hint)) }
}

/** Returns the message followed by those of the causes, unless it contains them. */
function fullMessageOf(error: unknown): string {
  if (!(error instanceof Error)) return messageOf(error)
  const parts = [error.message]
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) {
    if (!parts.some((part) => part.includes((cause as Error).message))) parts.push(cause.message)
  }
  return parts.join(': ')
}
