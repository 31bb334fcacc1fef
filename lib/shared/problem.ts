/** What to do about an error whose maker does not know better. */
const HINTS: Record<string, string> = {
  INVALID_INPUT: 'correct what the message names and try again; nothing was written',
  IO: 'check that the folder exists, may be written, and that the disk is not full',
  NOT_FOUND: 'check the address',
  METHOD_NOT_ALLOWED: 'use a method that the message names',
  UNSUPPORTED_MEDIA: 'send Content-Type: application/json',
  TOO_LARGE: 'send less at once',
  UNAUTHORIZED: 'send the token of this start: the server prints it, and .forge/server-ports.json has it',
  FORBIDDEN: 'use the address that the server printed when it started',
  UNAVAILABLE: 'close a client that is not needed, or try again later',
}
const DEFECT = 'this is a defect of forge-memory itself; please report it with the call or command that led to it'

/** An error of the TypeScript side, in the form that the engine's errors have: a stable code, and what to do about it. */
export class Problem extends Error {
  readonly code: string
  readonly hint: string | undefined

  constructor(code: string, message: string, hint: string | undefined = HINTS[code], options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.hint = hint
  }
}

export function problem(code: string, message: string, hint?: string): Problem {
  return new Problem(code, message, hint)
}

/** Returns the code of whatever was thrown; `INTERNAL` for what is none of ours. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' && code !== 'GenericFailure' ? code : 'INTERNAL'
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Returns what to do about whatever was thrown. An error without a code is a defect; the system's codes are failures of files. */
export function hintOf(error: unknown): string | undefined {
  const hint = error instanceof Error ? (error as { hint?: unknown }).hint : undefined
  if (typeof hint === 'string') return hint
  const code = codeOf(error)
  if (code === 'INTERNAL') return DEFECT
  return /^E[A-Z0-9]+$/.test(code) ? HINTS.IO : undefined
}

/** Returns an error as the body of an answer over HTTP. */
export function bodyOf({ code, message, hint }: Problem): string {
  return `${JSON.stringify({ error: { code, message, hint } })}\n`
}
