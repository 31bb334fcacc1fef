import { realpathSync } from 'node:fs'

/** Returns where a path really leads, behind all links; nothing when it leads nowhere. */
export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}
