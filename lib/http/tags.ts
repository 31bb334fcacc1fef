import { countMemories, type RecallHit } from '../native.js'
import { allMemories } from '../shared/expiring.js'

/** The records that have a tag, waiting and expired ones as well. */
export function taggedWith(tag: string, projectDir: string): RecallHit[] {
  return allMemories({ projectDir, tags: [tag], includeExpired: true, includeProposed: true })
}

/** Every tag with the number of its records, the most frequent first. */
export function countTags(projectDir: string): { tag: string; count: number }[] {
  const counts = countMemories('tag', { projectDir }).map(({ key, count }) => ({ tag: key, count }))
  return counts.sort((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1))
}
