// A file of its own without imports, because a hook process reads it first.
const OFF = /^(off|0|false|no)$/i

/** Returns whether the environment switches the memory off. */
export function isOffByEnvironment(): boolean {
  return OFF.test(process.env.FORGE_MEMORY?.trim() ?? '')
}
