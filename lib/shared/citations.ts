import { rateMemory } from '../native.js'

/** A citation of a record in an answer: `[mem:ID]`. */
const CITATION = /\[mem:((?:mem_)?[A-Za-z0-9_.-]{6,128})\]/g
/** The maximum number of citations counted per answer; a longer list is no evidence of use. */
const CITATIONS_MAX = 32

/** Finds the ids of the records that texts cite, each once. */
export function citedIn(texts: string[]): string[] {
  const ids = texts.flatMap((text) => [...text.matchAll(CITATION)].map(([, id = '']) => id))
  return [...new Set(ids)].slice(0, CITATIONS_MAX)
}

/**
 * Counts the records that an agent's answers cite as useful to its session. Returns how many were counted. An unknown
 * id or a locked file is skipped, because an answer must not fail because of it.
 */
export function countCitations(texts: string[], session: string, options: { projectDir?: string } = {}): number {
  let counted = 0
  for (const id of citedIn(texts)) {
    try {
      counted += rateMemory(id, 'useful', { author: 'agent', session: `hook:${session}`, ...options }).counted ? 1 : 0
    } catch {
      // The count is not essential: a later answer may cite the record again.
    }
  }
  return counted
}
