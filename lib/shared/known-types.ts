// A filter by a type that no record has is a mistake, which an empty answer would hide.
import { listMemories, listRetired, type ProjectOptions } from '../native.js'
import { declarationOf } from './declared.js'
import { didYouMean } from './nearest.js'
import { problem } from './problem.js'

/** The types that documents and marks name. Everybody may have others. */
export const TYPES = ['convention', 'decision', 'gotcha', 'lesson', 'pattern']
/** The types of memories that one may ask for before there is any. */
const BUILT_IN = [...TYPES, ...(declarationOf('Save').properties.category?.enum ?? [])]

/** One page of the engine. */
const PAGE = 1000
const NAMED_MAX = 20
const ANY = { includeExpired: true, includeProposed: true }

/**
 * Refuses types that no record has, whether it is current, retired, expired or waiting; `found` are records of the answer, which prove
 * theirs. A memory without records has no wrong types but those that nobody knows.
 */
export function requireTypes(
  asked: string[] | undefined,
  found: { type: string }[],
  { projectDir }: ProjectOptions,
): void {
  const project = projectDir === undefined ? {} : { projectDir }
  const proven = new Set(found.map(({ type }) => type.toLowerCase()))
  const open = asked?.filter((type) => !proven.has(type.toLowerCase()) && !isOfAny(type, project)) ?? []
  if (open.length === 0) return
  const counts = countTypes(project)
  const known = counts.size === 0 ? BUILT_IN : [...counts.keys()]
  const lower = known.map((type) => type.toLowerCase())
  const wrong = open.find((type) => !lower.includes(type.toLowerCase()))
  if (wrong === undefined) return
  const there = [...counts].sort(([, one], [, other]) => other - one).map(([type, count]) => `${type} (${count})`)
  const rest = there.length > NAMED_MAX ? `, and ${there.length - NAMED_MAX} others` : ''
  const types =
    counts.size === 0 ? 'nothing is stored yet' : `the types there are: ${there.slice(0, NAMED_MAX).join(', ')}${rest}`
  const guess = didYouMean(wrong, known)
  throw problem(
    'INVALID_INPUT',
    `type: no record has the type ${wrong}`,
    guess === undefined ? types : `${guess} ${types}`,
  )
}

/** Whether a record that has not been retired has a type: quicker than counting all. */
function isOfAny(type: string, project: ProjectOptions): boolean {
  return listMemories({ ...project, ...ANY, types: [type], limit: 1 }).total > 0
}

/** How many records have each type, whatever their state. */
function countTypes(project: ProjectOptions): Map<string, number> {
  const counts = new Map<string, number>()
  const count = ({ type }: { type: string }) => counts.set(type, (counts.get(type) ?? 0) + 1)
  for (let offset = 0, total = 1; offset < total; offset += PAGE) {
    const page = listMemories({ ...project, ...ANY, limit: PAGE, offset })
    page.entries.forEach(count)
    total = page.total
  }
  listRetired(project).forEach(count)
  return counts
}
