import { codeOf, hintOf, isMissingAddon, messageOf, Problem as SharedProblem } from '../shared/problem.js'
import { oneLine } from '../text/printable.js'

interface Details {
  hint?: string
  outcome?: unknown
  page?: string
}

/** What to do about what was typed. */
const HELP = 'forge-memory <command> --help shows what is accepted'

/** An error that the command line itself raises, in the form the engine's errors have. */
export class Failure extends SharedProblem {
  /** What the library returned, where it returned the failure instead of throwing it. Printed with `--json`. */
  readonly outcome: unknown
  /** What people see in place of code, message and hint. */
  readonly page: string | undefined

  constructor(code: string, message: string, { hint, outcome, page }: Details = {}) {
    super(code, message, hint ?? (code === 'INVALID_INPUT' ? HELP : undefined))
    this.outcome = outcome
    this.page = page
  }
}

/** What is shown of any error. */
export interface Problem {
  code: string
  message: string
  hint?: string
}

/** 2 when what was typed or piped in was wrong, 1 for everything else that failed. */
export function exitCodeOf(problem: Problem): number {
  return problem.code === 'INVALID_INPUT' ? 2 : 1
}

/** Takes secrets out of a text: what was typed is quoted in errors, and errors end up in logs. */
export type Redact = (text: string) => string

/** Describes any thrown thing. An error without one of our codes is a defect and says so. */
export function describe(error: unknown, redact: Redact = (text) => text): Problem {
  const code = codeOf(error)
  const hint = isMissingAddon(error) ? MISSING_ADDON_HINT : hintOf(error)
  const message = oneLine(redact(isMissingAddon(error) ? MISSING_ADDON : fullMessageOf(error)))
  return hint === undefined ? { code, message } : { code, message, hint: oneLine(redact(hint)) }
}

/** In place of the loader's own words, which name every platform that there is. */
const MISSING_ADDON = `the engine for this machine (${process.platform}-${process.arch}) is not installed`
const MISSING_ADDON_HINT =
  'install again on this machine, without --omit=optional: npm install forge-memory; in a clone of the sources: npm start'

/** The message, and those of the causes that it leaves out. */
function fullMessageOf(error: unknown): string {
  if (!(error instanceof Error)) return messageOf(error)
  const parts = [error.message]
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) {
    if (!parts.some((part) => part.includes((cause as Error).message))) parts.push(cause.message)
  }
  return parts.join(': ')
}
