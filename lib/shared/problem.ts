/** What to do about an error whose maker does not know better. */
const HINTS: Record<string, string> = {
  INVALID_INPUT: 'correct the value that the message names and try again; nothing was written',
  IO: 'check that the folder exists and is writable, and that the disk is not full',
  NOT_FOUND: 'check the address',
  METHOD_NOT_ALLOWED: 'use a method that the message names',
  UNSUPPORTED_MEDIA: 'send Content-Type: application/json',
  TOO_LARGE: 'send a smaller request',
  UNAUTHORIZED: 'send the token that the server printed at its start; .forge/server-ports.json contains it as well',
  FORBIDDEN: 'use the address that the server printed when it started',
  UNAVAILABLE: 'close a client that is not needed, or try again later',
}
const DEFECT = 'this is a bug in forge-memory; please report it together with the call or command that caused it'

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

/** How stable codes are written; Node's own `ERR_` codes are not among them. */
const STABLE = /^(?!ERR_(?!LATTICE_|ANVIL_))[A-Z][A-Z0-9_]+$/
/** The system's names for what failed, such as ENOSPC. */
const OF_THE_SYSTEM = /^E[A-Z0-9]+$/

/**
 * Returns the stable code of whatever was thrown, as every surface answers it. What the system calls by its own name is `IO`, and
 * what has no stable code is a defect: `INTERNAL`.
 */
export function codeOf(error: unknown): string {
  if (isMissingAddon(error)) return 'UNSUPPORTED'
  const code = ownCodeOf(error)
  if (code === undefined || !STABLE.test(code)) return 'INTERNAL'
  return OF_THE_SYSTEM.test(code) ? 'IO' : code
}

/** Tells whether an error has one of these codes, be they stable ones, the system's or a protocol's. */
export function hasCode(error: unknown, ...codes: (string | number)[]): boolean {
  const code = (error as { code?: unknown } | null | undefined)?.code
  return codes.some((one) => one === code)
}

/** Returns the code that the system, a database or a library gave an error, or what caused it. */
export function rootCodeOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const code = ownCodeOf(at)
    if (code !== undefined) return code
    const { errors } = at as Error & { errors?: unknown[] }
    const inner = Array.isArray(errors) ? rootCodeOf(errors[0]) : undefined
    if (inner !== undefined) return inner
  }
  return undefined
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Returns what to do about whatever was thrown. An error without a code is a defect; the system's codes are failures of files. */
export function hintOf(error: unknown): string | undefined {
  const hint = error instanceof Error ? (error as { hint?: unknown }).hint : undefined
  if (typeof hint === 'string') return hint
  const code = codeOf(error)
  return code === 'INTERNAL' ? DEFECT : HINTS[code]
}

/** Returns an error as the body of an answer over HTTP. */
export function bodyOf({ code, message, hint }: Problem): string {
  return `${JSON.stringify({ error: { code, message, hint } })}\n`
}

/** Tells whether the addon for this machine is missing: its loader gives that no code. */
export function isMissingAddon(error: unknown): boolean {
  return error instanceof Error && /native binding/i.test(error.message)
}

function ownCodeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' ? code : undefined
}
