/** The engine's own hint, for a value that no better one is known for. */
export const INVALID_INPUT_HINT = 'correct the value that the message names and try again; nothing was written'

/** Default hints by error code. */
const HINTS: Record<string, string> = {
  INVALID_INPUT: INVALID_INPUT_HINT,
  IO: 'check that the file and its folder can be read and written, and that the disk is in order',
  NOT_FOUND: 'check the address',
  METHOD_NOT_ALLOWED: 'use a method that the message names',
  UNSUPPORTED_MEDIA: 'send Content-Type: application/json',
  TOO_LARGE: 'send a smaller request',
  UNAUTHORIZED: 'send the token that the server printed at its start; .forge/server-ports.json contains it as well',
  FORBIDDEN: 'use the address that the server printed when it started',
  PAUSED: 'continue without it; forge-memory resume ends the pause',
  UNAVAILABLE: 'close a client that is not needed, or try again later',
}
/** Hints by the codes of the operating system that have a better one than `IO`; those of the engine are the same. */
const NOTHING_THERE = 'check the path: no file or folder of that name exists'
const MAY_NOT = 'check who may read and write that path'
const NO_SPACE = 'free some space on that disk, and try again'
const SYSTEM_HINTS: Record<string, string> = {
  ENOENT: NOTHING_THERE,
  ENOTDIR: NOTHING_THERE,
  EACCES: MAY_NOT,
  EPERM: MAY_NOT,
  EROFS: MAY_NOT,
  ENOSPC: NO_SPACE,
  EDQUOT: NO_SPACE,
}
const DEFECT = 'this is a bug in forge-memory; please report it together with the call or command that caused it'

/** An error of the TypeScript side in the format of the engine's errors: a stable code, and a hint. */
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

/** The format of stable codes. Node's own `ERR_` codes are excluded. */
const STABLE = /^(?!ERR_(?!LATTICE_|ANVIL_))[A-Z][A-Z0-9_]+$/
/** Error codes of the operating system, such as ENOSPC. */
const OF_THE_SYSTEM = /^E[A-Z0-9]+$/

/**
 * Returns the stable code of anything that was thrown. A code of the operating system becomes `IO`; an error without a
 * stable code is a defect: `INTERNAL`.
 */
export function codeOf(error: unknown): string {
  const code = ownCodeOf(error)
  if (code === undefined || !STABLE.test(code)) return 'INTERNAL'
  return OF_THE_SYSTEM.test(code) ? 'IO' : code
}

/** True if an error has one of these codes: stable ones, or those of the operating system or a protocol. */
export function hasCode(error: unknown, ...codes: (string | number)[]): boolean {
  const code = (error as { code?: unknown } | null | undefined)?.code
  return codes.some((one) => one === code)
}

/** Returns the code of an error or of its cause, as the operating system, a database or a library set it. */
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

/** Returns the result of some work; undefined when it throws, where that means that there is nothing. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

/** Returns the message of anything that was thrown, including values that cannot be converted to a string. */
export function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error)
  } catch {
    return 'a value without a message was thrown'
  }
}

/**
 * Returns the hint for anything that was thrown. An error without a code is a defect; a code of the operating system
 * means that a file operation failed.
 */
export function hintOf(error: unknown): string | undefined {
  const hint = error instanceof Error ? (error as { hint?: unknown }).hint : undefined
  if (typeof hint === 'string') return hint
  const code = codeOf(error)
  return code === 'INTERNAL' ? DEFECT : (SYSTEM_HINTS[ownCodeOf(error) ?? ''] ?? HINTS[code])
}

/** The hint of something that only reads, which never says what was not written. */
export function readingHintOf(error: unknown): string | undefined {
  return hintOf(error)?.replace('; nothing was written', '')
}

/** Serializes an error as the body of an HTTP response. */
export function bodyOf({ code, message, hint }: Problem): string {
  return `${JSON.stringify({ error: { code, message, hint } })}\n`
}

function ownCodeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' ? code : undefined
}
