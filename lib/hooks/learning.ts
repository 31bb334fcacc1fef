// Learns from a session after its end, in a process of its own that no host waits for. The findings go into the review inbox.
import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { endProcessAfter, learnFromSession } from '../native.js'
import { messageOf } from '../shared/problem.js'
import type { HookCall } from './call.js'
import { lastFault, noteFault } from './faults.js'
import type { Session } from './session.js'

/** The time limit of the process, in milliseconds. */
const LEARNING_MS = 60_000

/** Starts the process that learns from a session. The caller has checked that no part of the session was switched off. */
export function startLearning({ agent, event, transcript }: HookCall, session: Session): void {
  if (event !== 'session-end' || transcript === undefined || session.wasOff === true) return
  const options = { detached: true, stdio: 'ignore', windowsHide: true } as const
  const child = spawn(process.execPath, [join(__dirname, 'learning-process.js'), agent, transcript], options)
  // When no process can be started, the next `backfill` reads the session.
  child.once('error', () => undefined)
  child.unref()
}

/** Learns from a transcript in this process, at a low priority and within its time. Never throws. */
export function learnInTime(agent: string, transcript: string): void {
  const problem = `did not learn from the session within ${LEARNING_MS} ms`
  endProcessAfter(LEARNING_MS, { output: '', warning: '', ...lastFault('learning', agent, problem) })
  try {
    setPriority(constants.priority.PRIORITY_LOW)
  } catch {
    // The priority cannot be lowered everywhere; it is not essential.
  }
  try {
    learnFromSession(transcript)
  } catch (error) {
    noteFault('learning', agent, messageOf(error))
  }
}
