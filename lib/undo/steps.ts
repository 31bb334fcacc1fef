// How each change of a command is taken back: every memory gets the state that it had. Journals are only appended to: a taken-back edit
// is a further revision, and so is a forgotten memory that comes back.

import {
  type AcceptOptions,
  acceptMemory,
  editMemory,
  forget,
  keepMemory,
  type MemoryDetail,
  type ProjectOptions,
  rateMemory,
  rejectMemory,
  reopenMemory,
  replaceMemory,
  resolveConflict,
} from '../native.js'
import { given } from '../shared/given.js'
import { shortId } from '../shared/identity.js'
import { attempt, type Problem, problem } from '../shared/problem.js'
import { person } from '../shared/speaker.js'
import { type Change, detailOf, retiresOf, type State, stateOf } from './changes.js'
import type { PastCommand } from './log.js'

/** One step, with its description. */
export interface Step {
  verb: 'forget' | 'restore' | 'edit' | 'keep' | 'retire' | 'reject' | 'reopen' | 'withdraw' | 'here' | 'elsewhere'
  id: string
  text: string
  /** Returns the id under which the memory is stored now. `now` gives it the ids of memories that earlier steps have stored anew. */
  run(now: Now): string
}

/** First the steps that store memories anew, then those that change their state: a text that comes back may retire another one. */
const ORDER: Step['verb'][] = [
  'forget',
  'restore',
  'edit',
  'keep',
  'reject',
  'retire',
  'reopen',
  'withdraw',
  'here',
  'elsewhere',
]

/** Returns the steps that take a command back. Looks at every memory first, so that a refusal changes nothing. */
export function stepsFor({ changes }: PastCommand, project: ProjectOptions): Step[] {
  const steps = changes.flatMap((change) => stepsOf(change, project))
  return steps.sort((one, other) => ORDER.indexOf(one.verb) - ORDER.indexOf(other.verb))
}

function stepsOf(change: Change, project: ProjectOptions): Step[] {
  if (change.kind === 'request') {
    const run = () => reopenMemory(change.id, reopener(project)).id
    return [{ verb: 'reopen', id: change.id, text: 'the request waits again', run }]
  }
  if (change.kind === 'place') return [placed(change, project)]
  return back(change.before, change.after, project)
}

/** Hooks tell a memory at a place again, or no longer. */
function placed({ id, at, verdict }: Change & { kind: 'place' }, project: ProjectOptions): Step {
  const { entry } = detailOf(id, project)
  const undone = verdict === 'elsewhere' ? 'here' : 'elsewhere'
  const run = (now: Now) => rateMemory(now(entry.id), undone, { ...project, ...person(), at }).id
  return { verb: undone, id: entry.id, text: entry.text, run }
}

/** Leads a memory from the state after a command to the one before it. */
function back(before: State | undefined, after: State, project: ProjectOptions): Step[] {
  const { entry, state, revisions } = detailOf(after.id, project)
  if (entry.id !== after.id || state !== after.state) throw changedSince(after.id)
  const options = { ...project, ...person() }
  const { id } = entry
  const step: MakeStep = (verb, run, text = entry.text) => ({ verb, id, text, run: (now) => run(now(id), now) })
  const forgetting = step('forget', (own) => {
    forget(own, { ...options, ...person('undo') })
    return own
  })
  if (before === undefined) return [forgetting]
  const steps: Step[] = []
  // A memory that was forgotten since and came back is a new one, whose earlier texts are those of the forgotten one.
  const text = [revisions, pastOf(before.id, project)].flat().find((one) => one.id === before.id)?.text
  let from = state
  if (before.state !== 'forgotten' && from === 'forgotten') {
    steps.push(step('restore', (own, now) => alone(kept(own, options), before, options, now)))
    from = 'current'
  }
  if (before.state !== 'forgotten' && before.id !== id) {
    if (text === undefined) throw changedSince(id)
    const { type, tags, confidence, expiresAt } = before
    const changes = { body: text, ...given({ type, tags, confidence, expiresAt }) }
    const edited = (own: string) => editMemory(own, changes, { ...options, ...person('undo') }).id
    steps.push(step('edit', (own, now) => alone(edited(own), before, options, now), text))
  }
  if (before.state !== from || before.by !== after.by) steps.push(...turned(before, from, step, options, forgetting))
  const wrong = before.wrong ?? 0
  const doubts = wrong - (from === 'rejected' ? 0 : (after.wrong ?? 0))
  if (doubts > 0) steps.push(step('reopen', (own) => doubted(own, doubts, options)))
  // Only an acceptance sets verdicts aside, and all of them: those that were there before count again.
  if (doubts < 0 && from === before.state)
    steps.push(step('keep', (own) => doubted(accepted(own, options), wrong, options)))
  if (before.id === id && (after.useful ?? 0) > (before.useful ?? 0))
    steps.push(step('withdraw', (own) => withdrawn(own, options)))
  for (const other of before.contradicts ?? [])
    steps.push(step('reopen', (own, now) => contradict(own, now(other), project)))
  return steps
}

/** The revisions of a memory; none when a compaction has removed them. */
function pastOf(id: string, project: ProjectOptions): MemoryDetail['revisions'] {
  return attempt(() => detailOf(id, project).revisions) ?? []
}

type Now = (id: string) => string
type MakeStep = (verb: Step['verb'], run: (id: string, now: Now) => string, text?: string) => Step

/** A text that comes back is judged as a new one: memories that only now are retired or contradicted by it are put back. */
function alone(id: string, before: State, options: ProjectOptions, now: Now): string {
  for (const old of retiresOf(id, options)) kept(old, options)
  const known = before.contradicts?.map(now) ?? []
  for (const other of stateOf(id, options).contradicts ?? []) {
    if (!known.includes(other)) resolveConflict({ id, with: other, holds: 'both' }, options)
  }
  return id
}

/** Keeps a memory as it was before, with its lifetime and its confidence. */
function kept(id: string, options: ProjectOptions): string {
  return keepMemory(id, { ...options, ...person('undo') }).id
}

/** Accepts a memory again, which adds nothing to its lifetime and its confidence either. */
function accepted(id: string, options: ProjectOptions, more: AcceptOptions = {}): string {
  return acceptMemory(id, { ...reviewer(options), ...more }).id
}

/** Two memories contradict each other again, unless the other one is gone. */
function contradict(id: string, other: string, project: ProjectOptions): string {
  const { projectDir } = project
  if (detailOf(other, given({ projectDir })).state === 'current')
    reopenMemory(id, { ...reopener(project), with: other })
  return id
}

const reviewer = ({ projectDir }: ProjectOptions) => ({ ...given({ projectDir }), ...person('undo') })

/** A record that waits again is nobody's decision of a session. */
const reopener = ({ projectDir }: ProjectOptions) =>
  ({ ...given({ projectDir }), author: 'person', door: 'undo' }) as const

function turned(
  { state, by }: State,
  from: State['state'],
  step: MakeStep,
  options: ProjectOptions,
  forgetting: Step,
): Step[] {
  const project = reviewer(options)
  switch (state) {
    case 'forgotten':
      return [forgetting]
    case 'proposed':
      return [step('reopen', (id) => reopenMemory(id, reopener(options)).id)]
    case 'rejected':
      return [step('reject', (id) => rejectMemory(id, project).id)]
    case 'retired':
      return [step('retire', (id, now) => retire(id, by && now(by), options))]
    default:
      return [
        step('keep', (id) =>
          from === 'rejected' ? accepted(id, options, { retiresPersons: true }) : kept(id, options),
        ),
      ]
  }
}

function retire(old: string, by: string | undefined, options: ProjectOptions): string {
  replaceMemory({ old, ...(by ? { by } : {}) }, { ...options, ...person('undo') })
  return old
}

/** Takes back that the user found it useful. */
function withdrawn(id: string, options: ProjectOptions): string {
  return rateMemory(id, 'withdraw', { ...options, ...person() }).id
}

/** Counts again that so many sessions found it wrong, which a decision had set aside. */
function doubted(id: string, times: number, options: ProjectOptions): string {
  for (let at = 0; at < times; at += 1) rateMemory(id, 'wrong', { ...options, session: `undo:${Date.now()}.${at}` })
  return id
}

function changedSince(id: string): Problem {
  return problem(
    'INVALID_INPUT',
    `${shortId(id)} was changed after that command: nothing was taken back`,
    `forge-memory show ${shortId(id)} --history shows what happened to it`,
  )
}
