// The changes of a command, for `undo`: the state of each memory before and after it, without its text.

import {
  type CaptureOutcome,
  listRetired,
  listReview,
  type MemoryDetail,
  type ProjectOptions,
  type RateOutcome,
  showMemory,
} from '../native.js'
import { given } from '../shared/given.js'
import { attempt } from '../shared/problem.js'

/** The state of a memory. The text is that of the revision with this id, in the journal. */
export interface State {
  id: string
  state: MemoryDetail['state']
  /** The memory that retired it; empty when nothing replaces it. */
  by?: string
  type?: string
  tags?: string[]
  confidence?: number
  expiresAt?: string
  /** How many sessions found it useful, and wrong. */
  useful?: number
  wrong?: number
  contradicts?: string[]
}

/** A change that a command made: of a memory, of a request that was decided, or of a place to which a memory does not belong. */
export type Change =
  | { kind: 'memory'; before?: State; after: State }
  | { kind: 'request'; id: string }
  | { kind: 'place'; id: string; at: string; verdict: 'elsewhere' | 'here' }

export function stateOf(id: string, project: ProjectOptions): State {
  const { entry, state, retired, verdicts } = detailOf(id, project)
  const { type, tags, confidence, expiresAt } = entry
  const useful = verdicts?.useful || undefined
  const wrong = verdicts?.wrong || undefined
  const contradicts = entry.contradictedBy?.map((one) => one.id)
  return {
    id: entry.id,
    state,
    type,
    tags,
    confidence,
    ...given({ by: retired?.id, expiresAt, useful, wrong, contradicts }),
  }
}

export function detailOf(id: string, { projectDir }: ProjectOptions): MemoryDetail {
  return showMemory(id, { ...given({ projectDir }), includeProposed: true })
}

/** A memory that a command has stored. */
export function stored(id: string, state: State['state'] = 'current'): Change {
  return { kind: 'memory', after: { id, state } }
}

/** A memory that a command has retired. */
export function retired(id: string, by?: string): Change {
  return { kind: 'memory', before: { id, state: 'current' }, after: { id, state: 'retired', ...given({ by }) } }
}

/** The place at which a memory is left out from now on, or given again; none when the verdict did not count. */
export function placed({ id, counted }: RateOutcome, verdict: string, at: string | undefined): Change[] {
  const isOfPlace = verdict === 'elsewhere' || verdict === 'here'
  return counted && isOfPlace && at !== undefined ? [{ kind: 'place', id, at, verdict }] : []
}

/** Does something to memories, and returns the changes of them and of those that they retire. */
export function observed<T>(ids: string[], project: ProjectOptions, act: () => T): { outcome: T; changes: Change[] } {
  const before = ids.flatMap((id) =>
    isThere(id, project) ? [{ state: stateOf(id, project), retires: retiresOf(id, project) }] : [],
  )
  const began = Date.now()
  const outcome = act()
  const changes = before.flatMap(({ state, retires }) => {
    const after = stateOf(state.id, project)
    // A forgotten memory comes back as a revision, unless another one says the same by now.
    const { kept, id } = { ...outcome } as { kept?: unknown; id?: unknown }
    if (state.state === 'forgotten' && kept === true && typeof id === 'string' && id !== after.id)
      return madeAt(id) < began ? [] : [stored(id)]
    const own: Change[] = isSame(state, after) ? [] : [{ kind: 'memory', before: state, after }]
    const others = retiresOf(after.id, project).filter(
      (id) => !retires.includes(id) && !before.some((one) => one.state.id === id),
    )
    return [...own, ...(after.state === 'current' ? others.map((id) => retired(id, after.id)) : [])]
  })
  return { outcome, changes }
}

/** When an id was made, which its first digits say; a memory that was stored again has its earlier date. */
const madeAt = (id: string): number => Number.parseInt(id.slice(ID_PREFIX.length, ID_PREFIX.length + 12), 16)
const ID_PREFIX = 'mem_'

/** The same for a decision about a memory that waits, or about a request, which concerns other memories. */
export function observedDecision<T>(id: string, project: ProjectOptions, act: () => T): ReturnType<typeof observed<T>> {
  const waiting = listReview(project).find((one) => one.id === id || one.id.endsWith(id) || one.id.startsWith(id))
  const request = waiting?.request
  const about = request === undefined ? [id] : [request.of, ...(request.other === undefined ? [] : [request.other])]
  const others = (waiting?.retires ?? []).map((one) => one.id).filter((other) => !about.includes(other))
  const { outcome, changes } = observed([...about, ...others], project, act)
  return { outcome, changes: request === undefined ? changes : [...changes, { kind: 'request', id }] }
}

const isSame = (one: State, other: State) =>
  one.id === other.id &&
  one.state === other.state &&
  one.by === other.by &&
  one.useful === other.useful &&
  one.wrong === other.wrong &&
  String(one.contradicts) === String(other.contradicts)

/** An answer names so many of the memories that one has retired. */
const NAMED_MAX = 5

export function retiresOf(id: string, project: ProjectOptions): string[] {
  const named = (detailOf(id, project).entry.supersedes ?? []).map((one) => one.id)
  if (named.length < NAMED_MAX) return named
  return listRetired(given({ projectDir: project.projectDir })).flatMap((one) =>
    one.retired.id === id ? [one.id] : [],
  )
}

/**
 * The changes of a capture, given the states before of the memories that it names as replaced. One of them has become an earlier text of the new
 * one, and comes back as a revision; a confirmation is no change that a search shows.
 */
export function changesOfCapture(
  { id, captured, review, retired: old }: CaptureOutcome,
  was: State[],
  project: ProjectOptions,
): Change[] {
  const retires = (revised?: string) => old.filter((one) => one.id !== revised).map((one) => retired(one.id, id))
  if (review === 'accepted') {
    return [{ kind: 'memory', before: { id, state: 'proposed' }, after: { id, state: 'current' } }, ...retires()]
  }
  if (!captured) return retires()
  if (review === 'proposed') return [stored(id, 'proposed'), ...retires()]
  const revised = was.find((one) => one.id !== id && detailOf(one.id, project).entry.id === id)
  if (revised === undefined) return [stored(id), ...retires()]
  return [{ kind: 'memory', before: revised, after: stateOf(id, project) }, ...retires(revised.id)]
}

/** The states of memories that a new one names as replaced; those that are missing are left to the command. */
export function statesOf(ids: string[], project: ProjectOptions): State[] {
  return ids.flatMap((id) => (isThere(id, project) ? [stateOf(id, project)] : []))
}

/** A missing memory is left to the command, which reports it. */
function isThere(id: string, project: ProjectOptions): boolean {
  return attempt(() => detailOf(id, project).entry.id !== '') ?? false
}
