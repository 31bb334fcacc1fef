import { statSync } from 'node:fs'
import { hookSwitches, isOffByEnvironment, standingOf } from '../moment/switches.js'
import { forgeHome } from '../shared/home.js'
import { type HookCall, NO_SESSION } from './call.js'
import { projectOf } from './project.js'
import { SessionFile } from './session.js'

/** What a user writes into a prompt to switch the memory off or on for that session. The last occurrence counts. */
const SWITCH = /\[memory:\s*(on|off)\]/gi
/** The length of a prompt that is searched; longer texts are pasted. */
const PROMPT_CHARS_MAX = 100_000

/** Returns whether the memory is off for a call: the answer is empty, and nothing is stored. */
export function isSwitchedOff(call: HookCall): boolean {
  if (isOffByEnvironment()) return true
  const project = projectOf(call)
  return isSessionOff(call) || standingOf(project).state !== 'on' || hookSwitches(project).off.includes(call.event)
}

function isSessionOff(call: HookCall): boolean {
  const wanted = switchIn(call.prompt)
  if (call.sessionId === NO_SESSION) return wanted === 'off'
  const file = SessionFile.of(forgeHome(), call.sessionId)
  const session = file.read()
  if (wanted === 'off') {
    file.write({ ...session, isOff: true })
    return true
  }
  if (session.isOff !== true) return false
  if (wanted === 'on') {
    const { isOff: _was, ...rest } = session
    file.write({ ...rest, wasOff: true, read: readUpToNow(session.read, call.transcript) })
    return false
  }
  if (call.event === 'session-end') file.end()
  return true
}

function switchIn(prompt: string | undefined): string | undefined {
  return [...(prompt ?? '').slice(0, PROMPT_CHARS_MAX).matchAll(SWITCH)].at(-1)?.[1]?.toLowerCase()
}

/** Skips the part of the transcript that was written while the memory was off. */
function readUpToNow(read: Record<string, number>, transcript: string | undefined): Record<string, number> {
  const paths = [...Object.keys(read), ...(transcript === undefined ? [] : [transcript])]
  return Object.fromEntries(
    paths.map((path) => [path, statSync(path, { throwIfNoEntry: false })?.size ?? read[path] ?? 0]),
  )
}
