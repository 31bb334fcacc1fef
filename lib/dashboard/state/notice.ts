import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { ask } from '../connection/http.js'
import { asProblem, type Problem } from '../connection/problem.js'
import { titleOf } from '../show/plain.js'
import { counted } from '../show/text.js'
import { touchAll } from './resource.js'

interface Details {
  link?: { text: string; address: string }
  /** The names of changes that the notice offers to take back, in the order in which they were made. */
  undo?: string[]
  /** Texts of other memories that the change retired or contradicts. */
  more?: string[]
}

export interface Notice extends Details {
  key: number
  text: string
  hint?: string
  isProblem: boolean
}

const SHOWN_MS = 6000
/** A change that can be taken back stays longer: one has to read it. */
const UNDO_MS = 12_000
/** As many changes are named when several are taken back. */
const NAMED = 3
let last = 0
export const notices = signal<Notice[]>([])

export function dismiss(key: number): void {
  notices.value = notices.value.filter((notice) => notice.key !== key)
}

function add(notice: Omit<Notice, 'key'>): void {
  last += 1
  const key = last
  // A message takes the place of the one before it. Errors stay, and so does the way back from a change until the next change.
  const others = notices.value.filter(({ isProblem, undo }) => isProblem || (undo && !notice.undo))
  notices.value = [...others, { ...notice, key }].slice(-3)
  // Errors stay until they are dismissed.
  if (!notice.isProblem) window.setTimeout(() => dismiss(key), notice.undo ? UNDO_MS : SHOWN_MS)
}

export function notify(text: string, details: Details = {}): void {
  add({ text, isProblem: false, ...details })
}

/** The names under which changes can be taken back, as a part of a notice. */
export function undoOf(...names: (string | undefined)[]): Pick<Details, 'undo'> {
  const known = names.filter((name) => name !== undefined)
  return known.length > 0 && known.length === names.length ? { undo: known } : {}
}

export function notifyProblem(problem: Problem): void {
  add({ text: problem.message, hint: problem.hint, isProblem: true })
}

/** Shows anything that was thrown. */
export const notifyFailure = (cause: unknown): void => notifyProblem(asProblem(cause))

/** Does something; a failure is shown, and has no outcome. */
export async function tried<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (cause) {
    notifyFailure(cause)
    return undefined
  }
}

type Start = (work: () => Promise<unknown>) => Promise<void>

/** Work that a button starts: whether it is under way, and the function for it. A failure is shown. */
export function useWork(): [isBusy: boolean, start: Start] {
  const [isBusy, setBusy] = useState(false)
  const start: Start = async (work) => {
    setBusy(true)
    await tried(work)
    setBusy(false)
  }
  return [isBusy, start]
}

/** The same where the view has a place of its own for a failure. */
export function useAttempt(): { isBusy: boolean; problem: Problem | undefined; attempt: Start } {
  const [problem, setProblem] = useState<Problem>()
  const [isBusy, start] = useWork()
  const attempt: Start = (work) => {
    setProblem(undefined)
    return start(() => work().catch((cause) => setProblem(asProblem(cause))))
  }
  return { isBusy, problem, attempt }
}

interface TakenBack {
  command: string
  changes: { text: string }[]
}

/** Takes back the changes of a notice, the last one first, and says which texts are as they were. */
export async function takeBack({ key, undo = [] }: Notice): Promise<void> {
  dismiss(key)
  await tried(async () => {
    const texts: string[] = []
    for (const at of [...undo].reverse()) {
      const { changes } = await ask<TakenBack>('/api/memory/undo', { method: 'POST', body: { at } })
      texts.push(...changes.map(({ text }) => text))
    }
    const [first = ''] = texts
    if (texts.length === 1) notify(`Taken back: ${titleOf(first)}`)
    else notify(`Taken back: ${counted(texts.length, 'change')}.`, { more: [...new Set(texts)].slice(0, NAMED) })
  })
  touchAll()
}
