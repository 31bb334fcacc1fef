import { listMemories, type ProjectOptions, type RecallHit, type RecallOptions } from '../native.js'

/** What expires within so many days is told in time. */
export const SOON_DAYS = 14
/** The longest page of a list that the engine hands out. */
const PAGE = 1000

/** All memories, page by page: those that expire soon are among the oldest. */
export function allMemories(options: RecallOptions): RecallHit[] {
  const found: RecallHit[] = []
  for (;;) {
    const { entries, total } = listMemories({ ...options, limit: PAGE, offset: found.length })
    found.push(...entries)
    if (entries.length === 0 || found.length >= total) return found
  }
}

/** The same where others wait for answers meanwhile: they get them between two pages. What is captured in between moves the rest on by one. */
export async function eachMemory(options: RecallOptions, visit: (hit: RecallHit) => void): Promise<void> {
  const seen = new Set<string>()
  for (let offset = 0; ; offset += PAGE) {
    const { entries, total } = listMemories({ ...options, limit: PAGE, offset })
    for (const hit of entries) {
      if (!seen.has(hit.id)) visit(hit)
      seen.add(hit.id)
    }
    if (entries.length === 0 || offset + entries.length >= total) return
    await new Promise(setImmediate)
  }
}

/** The memories that are recalled today, and soon no longer. */
export function expiringSoon(project: ProjectOptions): RecallHit[] {
  if (countExpiringSoon(project) === 0) return []
  return allMemories(project).filter(isExpiringSoon)
}

export function isExpiringSoon({ expiresAt }: RecallHit): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) < Date.now() + SOON_DAYS * 86_400_000
}

/** How many they are, without a look at each: those of today that are none at the end of that time. */
export function countExpiringSoon(project: ProjectOptions): number {
  const at = new Date(Date.now() + SOON_DAYS * 86_400_000).toISOString()
  const count = (options: RecallOptions): number => listMemories({ ...options, limit: 1 }).total
  return count(project) - count({ ...project, at })
}
