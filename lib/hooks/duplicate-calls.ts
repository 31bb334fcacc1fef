// Some agents read the hooks of others as well: Visual Studio Code and Copilot those of Claude Code, Cursor too. Then one event
// starts two processes, under the name that each file has for it. The second has nothing to do.

import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode } from '../shared/problem.js'
import { type HookCall, NO_SESSION } from './call.js'

/** How far apart two processes for one event may start, on a machine that is busy. */
const WINDOW_MS = 30_000

/** The claim of this process to handle a call. */
export interface CallClaim {
  /** Releases the claim, so that another process can handle the event. */
  release(): void
}

/** Claims the event of a call; undefined when a process has claimed it under the name of another agent. */
export function claimCall(call: HookCall, home: string): CallClaim | undefined {
  const none = { release: () => undefined }
  // Two sessions without a name may well be at the same point.
  if (call.sessionId === NO_SESSION) return none
  const folder = join(home, 'hook-calls')
  const path = join(folder, keyOf(call))
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    clearOld(folder)
    writeFileSync(path, call.nativeEvent, { flag: 'wx', mode: 0o600 })
    return { release: () => rmSync(path, { force: true }) }
  } catch (error) {
    // Where nothing can be written every call is handled: twice is better than never.
    if (!hasCode(error, 'EEXIST')) return none
  }
  return isOtherEvent(path, call.nativeEvent) ? undefined : none
}

/** The same name again means that the event was repeated, not that another agent reports it, too. */
function isOtherEvent(path: string, nativeEvent: string): boolean {
  try {
    const other = readFileSync(path, 'utf8')
    return other !== '' && other !== nativeEvent
  } catch {
    return false
  }
}

function keyOf({ sessionId, event, prompt, said, command, transcript, action, toolUseId }: HookCall): string {
  const size = transcript === undefined ? undefined : statSync(transcript, { throwIfNoEntry: false })?.size
  const facts = [
    sessionId,
    event,
    prompt,
    said,
    command?.line,
    command?.exitCode,
    command?.output,
    action,
    toolUseId,
    size,
  ]
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex')
}

function clearOld(folder: string): void {
  const now = Date.now()
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const age = now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now)
    if (age > WINDOW_MS) rmSync(path, { force: true })
  }
}
