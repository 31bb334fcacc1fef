// A write-ahead note of what a call has to store: when the process ends early (a deadline, the agent, a power cut), the next call
// that captures finds it.
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { findProject } from '../native.js'
import { isCaptureAllowed } from '../shared/asked-settings.js'
import { writePrivateFile } from '../shared/private-file.js'
import type { Agent, HookCall } from './call.js'
import { findCommandMarks, findMarks, type Mark } from './marks.js'
import { SessionFile } from './session.js'
import { startOf } from './transcript.js'

/** Marks that are not stored yet. */
export interface PendingMarks {
  cwd: string
  agent: Agent
  marks: Mark[]
}

/** Records the marks of a call before they are stored. Returns the file, if there are any. */
export async function note(call: HookCall, home: string): Promise<string | undefined> {
  if (!isCaptureAllowed(findProject())) return undefined
  noteTranscript(call, home)
  const { said, command, agent } = call
  const marks = [...(await findMarks(said ?? '')), ...findCommandMarks(command?.line ?? '')]
  if (marks.length === 0) return undefined
  const path = join(folderIn(home), `${randomUUID()}.json`)
  writePrivateFile(path, JSON.stringify({ cwd: process.cwd(), agent, marks } satisfies PendingMarks))
  return path
}

/** Records the transcript even of a session whose calls never finish in time. */
function noteTranscript({ event, transcript, sessionId, agent }: HookCall, home: string): void {
  if (transcript === undefined) return
  const file = SessionFile.of(home, sessionId)
  const session = file.read()
  const isKnown = session.read[transcript] !== undefined
  if (isKnown && event !== 'session-end') return
  if (!isKnown) session.read[transcript] = startOf(transcript)
  if (event === 'session-end') session.hasEnded = true
  file.write({ ...session, cwd: process.cwd(), agent })
}

/** Calls `store` for all pending marks, and removes those that it has stored. */
export function eachPending(home: string, store: (pending: PendingMarks) => boolean): void {
  for (const name of namesIn(folderIn(home))) {
    const path = join(folderIn(home), name)
    try {
      if (store(JSON.parse(readFileSync(path, 'utf8')) as PendingMarks)) settle(path)
    } catch {
      // Stored by another call in between, or an error that the call itself reports.
    }
  }
}

/** Removes pending marks that were stored. */
export function settle(path: string): void {
  rmSync(path, { force: true })
}

function folderIn(home: string): string {
  return join(home, 'owed')
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
