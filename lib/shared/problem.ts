/** An error with a stable code, as the engine's own have. */
export function problem(code: string, message: string): Error & { code: string } {
  return Object.assign(new Error(message), { code })
}

/** How stable codes are written; Node's own `ERR_` codes are not among them. */
const STABLE = /^(?!ERR_(?!LATTICE_))[A-Z][A-Z0-9_]+$/
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

/** Tells whether the addon for this machine is missing: its loader gives that no code. */
export function isMissingAddon(error: unknown): boolean {
  return error instanceof Error && /native binding/i.test(error.message)
}

function ownCodeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' ? code : undefined
}
