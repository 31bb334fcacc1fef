import { listMemories, memoryStatus, type ProjectOptions, type RecallHit, type RecallOptions } from '../native.js'

/** What expires within so many days is told in time: the engine counts it. */
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

/** The memories that are recalled today, and soon no longer: as many as a status has counted. */
export function expiringSoon(project: ProjectOptions, count = memoryStatus(project).counts.expiring): RecallHit[] {
  return count === 0 ? [] : allMemories(project).filter(isExpiringSoon)
}

export function isExpiringSoon({ expiresAt }: RecallHit): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) < Date.now() + SOON_DAYS * 86_400_000
}
