import { codeOf, isMissingAddon, messageOf } from '../shared/problem.js'
import { oneLine } from '../text/printable.js'

interface Details {
  hint?: string
  outcome?: unknown
  page?: string
}

/** An error that the command line itself raises, in the form the engine's errors have. */
export class Failure extends Error {
  readonly code: string
  readonly hint: string | undefined
  /** What the library returned, where it returned the failure instead of throwing it. Printed with `--json`. */
  readonly outcome: unknown
  /** What people see in place of code, message and hint. */
  readonly page: string | undefined

  constructor(code: string, message: string, { hint, outcome, page }: Details = {}) {
    super(message)
    this.code = code
    this.hint = hint
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

/** What to do next, by code. */
const HINTS: Record<string, string> = {
  INVALID_INPUT: 'forge-memory <command> --help shows what is accepted',
  NOT_FOUND: 'forge-memory list shows what is stored, with ids; six characters from the end of one are enough',
  IO: 'check that the folder exists, may be written, and that the disk is not full',
  UNSAFE_PATH: 'look at what is there: remove it, or put a regular file in its place; nothing was read or written',
  LOCKED: 'another process is writing; try again, and see forge-memory doctor if it lasts',
  CORRUPT: 'forge-memory doctor says which file and line; nothing was changed',
  ERR_LATTICE_PATH_OUTSIDE_REPO: 'name a file or folder in the project, or another project with --project',
  UNSUPPORTED: 'a newer forge-memory may know it: npm install forge-memory@latest',
  MODEL_MISSING: 'forge-memory model install fetches it; until then, search goes by words alone',
  INTERNAL: 'this is a defect of forge-memory itself; please report it with the command that you typed',
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
  const hint = hintOf(error) ?? HINTS[code]
  const message = oneLine(redact(isMissingAddon(error) ? MISSING_ADDON : fullMessageOf(error)))
  return hint === undefined ? { code, message } : { code, message, hint: oneLine(redact(hint)) }
}

/** Errors of our own bring a hint that fits better than the one of their code. */
function hintOf(error: unknown): string | undefined {
  if (isMissingAddon(error)) return MISSING_ADDON_HINT
  const hint = error instanceof Error ? (error as { hint?: unknown }).hint : undefined
  return typeof hint === 'string' ? hint : undefined
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
