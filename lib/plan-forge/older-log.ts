// Plan Forge's log of thoughts, `.forge/liveguard-memories.jsonl`, which its searches, timeline, SDK and checks read. Captures through
// this entry are in it as well, with their id: a line with one is a copy of a record in our own log.
import { join } from 'node:path'
import type { CaptureOutcome } from '../native.js'
import { appendConfined } from '../shared/confined.js'
import { given } from '../shared/given.js'
import { type Fields, softly, warn } from './soft.js'

export const OLDER_LOG = 'liveguard-memories.jsonl'

/** Appends a captured thought, unless it waits for a person. It is stored in any case, so that a failure is a warning. */
export function noteInOlderLog(cwd: string, { review, thought }: CaptureOutcome): void {
  if (review !== undefined && review !== 'accepted') return
  const { content, project, type, source, created_by, captured_at, expiresAt, id } = thought
  const line = given({ _v: 1, content, project, type, source, created_by, captured_at, expiresAt, id })
  softly(
    () => appendConfined(cwd, join('.forge', OLDER_LOG), JSON.stringify(line)),
    ({ message }) => warn(`${OLDER_LOG} lacks a captured thought, which is stored: ${message}`),
  )
}

/** True if a line of that log is the copy of a record in our own log. */
export function isCopy(record: Fields): boolean {
  return typeof record.id === 'string'
}
