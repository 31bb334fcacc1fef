import type { RecallHit } from '../native.js'
import { allMemories, eachMemory } from '../shared/expiring.js'

/** The records that have a tag, waiting and expired ones as well. */
export function taggedWith(tag: string, projectDir: string): RecallHit[] {
  return allMemories({ projectDir, tags: [tag], includeExpired: true, includeProposed: true })
}

/** Every tag with the number of its records, the most frequent first. */
export async function countTags(projectDir: string): Promise<{ tag: string; count: number }[]> {
  const counts = new Map<string, number>()
  await eachMemory({ projectDir }, ({ tags }) => {
    for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  })
  return [...counts]
    .map(([tag, count]) => ({ tag, count }))
    .sort((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1))
}
