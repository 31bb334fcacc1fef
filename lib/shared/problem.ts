/** An error with a stable code, as the engine's own have. */
export function problem(code: string, message: string): Error & { code: string } {
  return Object.assign(new Error(message), { code })
}

/** Returns the code of whatever was thrown; `INTERNAL` for what is none of ours. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' && code !== 'GenericFailure' ? code : 'INTERNAL'
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
