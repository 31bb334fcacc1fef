import { signal } from '@preact/signals'
import { ask } from '../connection/http.js'
import { asProblem } from '../connection/problem.js'
import type { Capture, CaptureOutcome } from '../connection/shapes.js'
import { counted, percent } from '../show/amount.js'
import { notify, notifyProblem } from './notice.js'
import { addressOf } from './route.js'

/** An action on one or many records. */
export interface Doing {
  /** The past participle for the notice, for example `forgotten`. */
  done: string
  /** Performs it on one record. */
  each: (id: string) => Promise<unknown>
}

const entryPath = (id: string): string => `/api/memory/entry/${encodeURIComponent(id)}`

export const forgetting: Doing = {
  done: 'forgotten',
  each: (id) => ask(entryPath(id), { method: 'DELETE' }),
}

export const accepting: Doing = {
  done: 'accepted',
  each: (id) => ask(`/api/memory/review/${encodeURIComponent(id)}`, { method: 'POST', body: { decision: 'accept' } }),
}

/** Adds tags to those of a record. */
export function tagging(tags: string[], tagsOf: (id: string) => string[]): Doing {
  return {
    done: 'tagged',
    each: (id) => ask(entryPath(id), { method: 'PATCH', body: { tags: [...new Set([...tagsOf(id), ...tags])] } }),
  }
}

/** The progress of a bulk action; undefined when none is running. */
export const progress = signal<{ done: number; total: number } | undefined>(undefined)

/** Performs an action on records one after the other, and shows how many succeeded. Returns the ids that failed. */
export async function doToAll(ids: string[], { done, each }: Doing): Promise<string[]> {
  const refused: string[] = []
  let problem: unknown
  for (const [at, id] of ids.entries()) {
    progress.value = { done: at, total: ids.length }
    try {
      await each(id)
    } catch (cause) {
      problem = cause
      refused.push(id)
    }
  }
  progress.value = undefined
  const count = ids.length - refused.length
  if (count > 0) notify(ids.length === 1 ? `${capital(done)}.` : `${counted(count, 'record')} ${done}.`)
  if (problem !== undefined) notifyProblem(asProblem(problem))
  return refused
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

export function labelsOf(text: string): string[] {
  return [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '')
}

/** Captures a text and shows the outcome. Returns it: it names what the text may replace. */
export async function captureText(capture: Pick<Capture, 'type' | 'body' | 'tags'>): Promise<CaptureOutcome> {
  const body: Capture = { ...capture, tool: 'dashboard', related: true }
  const outcome = await ask<CaptureOutcome>('/api/memory/capture', { method: 'POST', body })
  const link = { text: 'Open it', address: addressOf('entry', outcome.id) }
  const secrets = outcome.redactions > 0 ? ' A secret was removed first.' : ''
  const how = outcome.similarity === undefined ? '' : ` (${percent(outcome.similarity, 1)} alike)`
  const known = `Already known${how}: counted as a confirmation, not stored twice.`
  notify(outcome.deduped ? known : `Captured.${secrets}${changesOf(outcome)}`, link)
  return outcome
}

/** Retires a record that a newer one replaces. */
export async function replaceRecord(old: string, by: string): Promise<void> {
  try {
    await ask('/api/memory/replace', { method: 'POST', body: { old: [old], by } })
    notify('Retired: the new one replaces it.', { text: 'Open it', address: addressOf('entry', old) })
  } catch (cause) {
    notifyProblem(asProblem(cause))
  }
}

/** Says what a capture did to other records. */
function changesOf({ retired, conflicts }: CaptureOutcome): string {
  const done = retired.length === 0 ? '' : ` ${capital(counted(retired.length, 'record'))} retired.`
  return conflicts.length === 0 ? done : `${done} In conflict with ${counted(conflicts.length, 'record')}.`
}
