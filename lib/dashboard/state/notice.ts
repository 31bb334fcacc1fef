import { signal } from '@preact/signals'
import { asProblem, type Problem } from '../connection/problem.js'

export interface Notice {
  key: number
  text: string
  hint?: string
  isProblem: boolean
  link?: { text: string; address: string }
}

const SHOWN_MS = 6000
let last = 0
export const notices = signal<Notice[]>([])

export function dismiss(key: number): void {
  notices.value = notices.value.filter((notice) => notice.key !== key)
}

function add(notice: Omit<Notice, 'key'>): void {
  last += 1
  const key = last
  notices.value = [...notices.value, { ...notice, key }].slice(-3)
  // Errors stay until they are dismissed.
  if (!notice.isProblem) window.setTimeout(() => dismiss(key), SHOWN_MS)
}

export function notify(text: string, link?: Notice['link']): void {
  add(link ? { text, isProblem: false, link } : { text, isProblem: false })
}

export function notifyProblem(problem: Problem): void {
  add({ text: problem.message, hint: problem.hint, isProblem: true })
}

/** Shows anything that was thrown. */
export const notifyFailure = (cause: unknown): void => notifyProblem(asProblem(cause))
