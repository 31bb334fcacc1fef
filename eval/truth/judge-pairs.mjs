// Captures the older text of a pair, then the newer one, and looks what became of the older record.

import { join } from 'node:path'
import { idsIn, isContradicted, Project, ruleOf } from './project.mjs'

/** Judges one pair in a project of its own. */
export function judgePair(library, folder, pair) {
  const project = new Project(library, join(folder, pair.id))
  const older = project.capture(fieldsOf(pair.older, 'first'))
  const newer = project.capture(fieldsOf(pair.newer, 'second'))
  const isDeduped = newer.deduped
  const retired = !isDeduped && !project.isCurrent(older.id, pair.older.text)
  const linked = idsIn(newer.conflicts).includes(older.id) || isLinked(project, older.id, pair.older.text)
  const outcome = isDeduped ? 'deduped' : retired ? 'retired' : linked ? 'linked' : 'apart'
  const rule = ruleOf(newer.retired, older.id) ?? ruleOf(newer.conflicts, older.id) ?? 'none'
  return { ...pair, outcome, rule, isRight: RIGHT[pair.label].includes(outcome) }
}

/** The accepted fates of the older record of a pair. A repetition may be stored, or be merged into one record. */
const RIGHT = {
  retires: ['retired'],
  conflict: ['linked'],
  unrelated: ['apart'],
  duplicate: ['deduped', 'apart'],
}

/** Adds the results of one part up. */
export function sumPairs(results) {
  const retired = results.filter((result) => result.outcome === 'retired')
  const linked = results.filter((result) => result.outcome === 'linked')
  const still = results.filter(({ label }) => label === 'conflict' || label === 'unrelated')
  const disagreeing = results.filter(({ label }) => label === 'conflict' || label === 'retires')
  return {
    pairs: results.length,
    retired: rates(retired, results, 'retires'),
    linked: rates(linked, results, 'conflict'),
    noticed: share(
      disagreeing.filter(({ outcome }) => outcome === 'retired' || outcome === 'linked'),
      disagreeing,
    ),
    wronglyRetired: share(
      still.filter(({ outcome }) => outcome === 'retired'),
      still,
    ),
    wronglyLinked: share(
      linked.filter(({ label }) => label === 'unrelated' || label === 'duplicate'),
      results.filter(({ label }) => label === 'unrelated' || label === 'duplicate'),
    ),
    lost: share(
      results.filter(({ label, outcome }) => label !== 'duplicate' && outcome === 'deduped'),
      results.filter(({ label }) => label !== 'duplicate'),
    ),
    rules: groups(
      results.filter(({ rule }) => rule !== 'none'),
      'rule',
    ).map(([rule, of]) => ({ rule, ...ruleRates(of) })),
    kinds: groups(results, 'kind').map(([kind, of]) => ({
      kind,
      ...share(
        of.filter(({ isRight }) => isRight),
        of,
      ),
    })),
  }
}

/** A rule that retires is right about what is retired; one that links is right about all that disagrees. */
function ruleRates(results) {
  const retired = results.filter(({ outcome }) => outcome === 'retired')
  const linked = results.filter(({ outcome }) => outcome === 'linked')
  return {
    retired: share(
      retired.filter(({ label }) => label === 'retires'),
      retired,
    ),
    linked: share(
      linked.filter(({ label }) => label === 'conflict' || label === 'retires'),
      linked,
    ),
  }
}

function rates(found, all, label) {
  const right = found.filter((result) => result.label === label)
  const wanted = all.filter((result) => result.label === label)
  return { precision: share(right, found), recall: share(right, wanted) }
}

/** A share, with the numbers it comes from; of nothing it is null. */
export function share(some, all) {
  return { count: some.length, of: all.length, share: all.length === 0 ? null : some.length / all.length }
}

/** Groups results by a field, in the order of the names. */
export function groups(results, field) {
  const found = new Map()
  for (const result of results) {
    found.set(result[field], [...(found.get(result[field]) ?? []), result])
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1))
}

function fieldsOf({ type, text }, session) {
  return { tool: 'eval', source: `eval/${session}`, type, body: text }
}

function isLinked(project, id, text) {
  return project.recall(text).some((hit) => hit.id === id && isContradicted(hit))
}
