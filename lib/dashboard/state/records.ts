import { signal } from '@preact/signals'
import { change } from '../connection/http.js'
import { asProblem, Problem } from '../connection/problem.js'
import type { Capture, CaptureOutcome, Hit, Thought } from '../connection/shapes.js'
import { counted, oneLine, percent } from '../show/text.js'
import { notify, notifyProblem, tried, undoOf } from './notice.js'
import { addressOf } from './route.js'
import { expiring } from './stores.js'

/** An action on one or many memories. */
export interface Doing {
  action: 'forget' | 'accept' | 'reject' | 'tag'
  /** The past participle for the notice, for example `forgotten`. */
  done: string
  tags?: string[]
}

export const forgetting: Doing = { action: 'forget', done: 'forgotten' }
export const accepting: Doing = { action: 'accept', done: 'accepted' }
export const rejecting: Doing = { action: 'reject', done: 'rejected' }
export const tagging = (tags: string[]): Doing => ({ action: 'tag', done: 'tagged', tags })

/** The progress of an action on many; undefined when none is running. */
export const progress = signal<{ done: number; total: number } | undefined>(undefined)

/** The number of memories in one request, which is one step of `undo`. */
const AT_ONCE = 1000

interface ManyOutcome {
  changed: number
  refused: { id: string; code: string; message: string; hint?: string }[]
}

/** Performs an action on memories, and shows how many succeeded, of one its text. Returns the ids that failed. */
export async function doToAll(ids: string[], { action, done, tags }: Doing, text?: string): Promise<string[]> {
  const refused: ManyOutcome['refused'] = []
  const undo: (string | undefined)[] = []
  let count = 0
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    progress.value = { done: at, total: ids.length }
    const some = ids.slice(at, at + AT_ONCE)
    try {
      const body = { action, ids: some, ...(tags === undefined ? {} : { tags }) }
      const outcome = await change<ManyOutcome>('/api/memory/many', { method: 'POST', body })
      refused.push(...outcome.answer.refused)
      count += outcome.answer.changed
      if (outcome.answer.changed > 0) undo.push(outcome.undo)
    } catch (cause) {
      const { code, message, hint } = asProblem(cause)
      refused.push(...some.map((id) => ({ id, code, message, hint })))
    }
  }
  progress.value = undefined
  const what = ids.length === 1 ? `${capital(done)}.` : `${counted(count, 'memory', 'memories')} ${done}.`
  if (count > 0) notify(what, { ...(text !== undefined && { more: [text] }), ...undoOf(...undo) })
  const [first] = refused
  if (first) notifyProblem(new Problem(first.code, first.message, first.hint ?? ''))
  return refused.map(({ id }) => id)
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

export function labelsOf(text: string): string[] {
  return [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '')
}

/** Captures a text and shows the outcome. Returns it: it names memories that the text may replace. */
export async function captureText(capture: Pick<Capture, 'type' | 'body' | 'tags'>): Promise<CaptureOutcome> {
  const body: Capture = { ...capture, tool: 'dashboard', related: true }
  const { answer: outcome, undo } = await change<CaptureOutcome>('/api/memory/capture', { method: 'POST', body })
  const link = { text: 'Open it', address: addressOf('entry', outcome.id) }
  const secrets = outcome.redactions > 0 ? ' A secret was removed first.' : ''
  const how = outcome.similarity === undefined ? '' : ` (${percent(outcome.similarity, 1)} alike)`
  const known = `Already known${how}: counted as a confirmation, not stored twice.`
  const more = [...outcome.retired, ...outcome.conflicts].map(({ text }) => text).filter((text) => text !== '')
  notify(outcome.deduped ? known : `Captured.${secrets}${changesOf(outcome)}`, { link, more, ...undoOf(undo) })
  return outcome
}

/** Confirms a memory, which restarts its lifetime. */
export function renewRecord({ type, text }: Pick<Hit, 'type' | 'text'>): Promise<void> {
  return tried(async () => {
    const body: Capture = { type, body: text, tool: 'dashboard' }
    await change('/api/memory/capture', { method: 'POST', body })
    expiring.touch()
    notify('Renewed: its lifetime begins again.', { more: [text] })
  })
}

/** Retires a memory that a newer one replaces. */
export function replaceRecord(old: string, by: string): Promise<void> {
  return tried(async () => {
    const { undo } = await change('/api/memory/replace', { method: 'POST', body: { old: [old], by } })
    const link = { text: 'Open it', address: addressOf('entry', old) }
    notify('Retired: the new one replaces it.', { link, ...undoOf(undo) })
  })
}

const entryPath = (id: string): string => `/api/memory/entry/${encodeURIComponent(id)}`

/** Makes a retired memory current again. Returns the id that it has now, if that worked. */
export function keepRecord(id: string): Promise<string | undefined> {
  return tried(async () => {
    const { answer, undo } = await change<{ id: string }>(`${entryPath(id)}/keep`, { method: 'POST', body: {} })
    notify('Current again.', undoOf(undo))
    return answer.id
  })
}

/** Stores a revision. Returns its id. */
export async function editRecord(id: string, changes: object): Promise<string> {
  const { answer, undo } = await change<Thought>(entryPath(id), { method: 'PATCH', body: changes })
  notify('Saved as a new revision.', undoOf(undo))
  return answer.id
}

const judge = (id: string, body: object) =>
  change<{ counted: boolean }>(`${entryPath(id)}/feedback`, { method: 'POST', body })

export const VERDICTS = [
  { verdict: 'useful' as const, label: 'Useful', says: 'Agents get the memory earlier.' },
  {
    verdict: 'wrong' as const,
    label: 'Not useful',
    says: 'It counts against the memory: agents get it later. From two people or sessions it comes to Review.',
  },
]

/** Counts a verdict of this person about a memory. */
export function rateRecord(id: string, verdict: 'useful' | 'wrong'): Promise<void> {
  return tried(async () => {
    const { answer, undo } = await judge(id, { verdict })
    if (!answer.counted) notify('You have said so before: it counts once.')
    else if (verdict === 'useful') notify('Counted: it comes up earlier.', undoOf(undo))
    else notify('Counted: agents get it later, or not at all.', undoOf(undo))
  })
}

/** Says that a memory does not belong to the file or command with which an agent was given it. */
export function ruleOut(id: string, at: string): Promise<void> {
  return tried(async () => {
    const { answer, undo } = await judge(id, { verdict: 'elsewhere', at })
    const more = [oneLine(at)]
    if (answer.counted)
      notify('Agents are not given it there any more, and still elsewhere:', { more, ...undoOf(undo) })
    else notify('You have said so before.')
  })
}

/** Tells the effects of a capture on other memories. */
function changesOf({ retired, conflicts }: CaptureOutcome): string {
  const done = retired.length === 0 ? '' : ` ${capital(counted(retired.length, 'memory', 'memories'))} retired:`
  if (conflicts.length === 0) return done
  return `${done} In conflict with ${counted(conflicts.length, 'memory', 'memories')}:`
}
