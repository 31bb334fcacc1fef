import { listMemories, type RecallHit } from '../native.js'

const PAGE_MAX = 1000

/** All records that a list with these options has. */
export function everything(options: object, total = Number.POSITIVE_INFINITY): RecallHit[] {
  const found: RecallHit[] = []
  for (let offset = 0; offset < total; offset += PAGE_MAX) {
    const { entries } = listMemories({ ...options, limit: PAGE_MAX, offset })
    found.push(...entries)
    if (entries.length < PAGE_MAX) break
  }
  return found
}

/** The records that have a tag, waiting and expired ones as well. */
export function taggedWith(tag: string, projectDir: string): RecallHit[] {
  return everything({ projectDir, tags: [tag], includeExpired: true, includeProposed: true })
}

/** Every tag with the number of its records, the most frequent first. */
export function countTags(projectDir: string): { tag: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { tags } of everything({ projectDir })) {
    for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  }
  return [...counts]
    .map(([tag, count]) => ({ tag, count }))
    .sort((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1))
}
