/** Lifecycle hooks of agents: a fault of the memory never blocks or delays a prompt. */

import { join } from 'node:path'
import { endProcessAfter, keepProcess, projectAt } from '../native.js'
import { forgeHome } from '../shared/home.js'
import { hasCode, messageOf } from '../shared/problem.js'
import { answerFor } from './answer.js'
import { type HookCall, readCall } from './call.js'
import { promptContext } from './context.js'
import { CONTEXT_MS, givenDeadline } from './deadline.js'
import { claimCall } from './duplicate-calls.js'
import { lastFault, noteFault } from './faults.js'
import { momentContext } from './moment.js'
import { note } from './pending-marks.js'
import { isSwitchedOff } from './switched-off.js'
import type { Task, Word } from './worker.js'

export { EVENT_NAMES } from './call.js'

/** The outcome of a call. */
export interface HookOutcome {
  /** What to print on standard output. */
  answer: string
  /** Why there is nothing to say although there might have been. */
  problem?: string
}

/** What capturing may take: the hooks that `init` writes are given five seconds, with the start of the process. */
const CAPTURE_MS = 4000

/** Events that only add context. They only read, and are handled in this thread, which avoids the start of another one. */
const onlyAddsContext = ({ event }: HookCall) => event === 'prompt' || event === 'before-tool'
/** Events at which no notes about an action are added: a start also completes earlier sessions, and after an end there is no context. */
const isHandledHere = ({ event }: HookCall) => event !== 'session-start' && event !== 'session-end'
const addsContext = (call: HookCall) => onlyAddsContext(call) || call.event === 'session-start'

/** The deadline of what is handled in a thread, if none is given. */
const ownDeadline = (call: HookCall) => (addsContext(call) ? CONTEXT_MS : CAPTURE_MS)

/** How a hook was called. */
export interface HookOptions {
  /** The host, if the command line names it. */
  host?: string
  deadline?: number
}

/** Answers a hook call within the deadline. Never throws, never rejects. */
export async function runHook(name: string, input: string, options: HookOptions = {}): Promise<HookOutcome> {
  const call = readCall(name, input, options.host)
  if (call === undefined) return unreadable(name, options)
  const turn = claimCall(call, forgeHome())
  if (turn === undefined) return { answer: answerFor(call, undefined) }
  const begun = performance.now()
  const given = options.deadline ?? givenDeadline()
  try {
    if (call.cwd !== undefined) process.chdir(call.cwd)
    // What is no project has no memory, and there is nothing that a user could mend.
    if (isNowhere() || isSwitchedOff(call)) return { answer: answerFor(call, undefined) }
    // Marks of the agent are stored first, because the deadline of the second part ends the process.
    const answered = onlyAddsContext(call) ? undefined : await handleInTime(call, given ?? ownDeadline(call))
    const context = answered ?? (isHandledHere(call) ? addHere(call, begun, given) : undefined)
    return { answer: answerFor(call, context) }
  } catch (error) {
    turn.release()
    const problem = `${messageOf(error)}; ${notDone(call)}`
    noteFault(call.nativeEvent, call.agent, problem)
    return { answer: answerFor(call, undefined), problem }
  }
}

const isNowhere = () => hasCode(projectAt().problem, 'NO_PROJECT', 'FOREIGN_FOLDER')

function unreadable(name: string, { host = 'unknown' }: HookOptions): HookOutcome {
  const problem = `${name}: not a known event, or standard input is not a JSON object`
  noteFault(name, host, problem)
  return { answer: '', problem }
}

/**
 * Finds context in this thread. Reading a damaged or huge store may take any time, so a watchdog thread ends the process at the deadline,
 * with an empty answer for the agent and a line for `doctor`.
 */
function addHere(call: HookCall, begun: number, given: number | undefined): string | undefined {
  const limit = given ?? CONTEXT_MS
  // A given deadline is that of the whole call, of which capturing has taken a part.
  const left = given === undefined ? limit : Math.max(1, Math.round(begun + given - performance.now()))
  const problem = `did not finish within ${limit} ms; ${notAdded(call)}`
  endProcessAfter(left, {
    output: answerFor(call, undefined),
    warning: `warning: ${problem}\n`,
    ...lastFault(call.nativeEvent, call.agent, problem),
  })
  try {
    if (call.event !== 'prompt') return momentContext(call)
    return call.prompt === undefined ? undefined : promptContext(call, call.prompt)
  } finally {
    keepProcess()
  }
}

function notDone(call: HookCall): string {
  if (call.event === 'session-start') return 'the session starts without recalled notes'
  if (onlyAddsContext(call)) return notAdded(call)
  return 'what the agent marked may not be stored yet: the next call that captures stores it'
}

/** What is missing when only the notes are late: everything that the agent marked is stored by then. */
function notAdded({ event }: HookCall): string {
  if (event === 'prompt') return 'nothing was added to the prompt'
  return event.endsWith('-tool') ? 'nothing was said about the tool call' : 'the use of notes was not counted'
}

async function handleInTime(call: HookCall, deadline: number): Promise<string | undefined> {
  const pending = await notePending(call)
  const { mayCapture } = await import('./capture-need.js')
  // The start of a thread takes nearly as long as the rest of the call.
  if (!mayCapture(call)) return undefined
  const { Worker } = await import('node:worker_threads')
  const workerData: Task = pending === undefined ? { call } : { call, pending }
  return new Promise((resolve, reject) => {
    let own: { context?: string } | undefined
    const worker = new Worker(join(__dirname, 'worker.js'), { workerData })
    const end = (error?: Error) => {
      clearTimeout(timer)
      // Pending marks of others are left to the next call.
      if (own !== undefined) resolve(own.context)
      else reject(error)
    }
    const timer = setTimeout(() => {
      worker.unref()
      end(new Error(`did not finish within ${deadline} ms`))
    }, deadline)
    worker.on('message', (word: Word) => {
      if (word === 'all') end()
      else own = word.own
    })
    worker.once('error', end)
  })
}

/** A call that cannot be recorded is handled nevertheless. */
async function notePending(call: HookCall): Promise<string | undefined> {
  try {
    return addsContext(call) && call.transcript === undefined ? undefined : await note(call, forgeHome())
  } catch {
    return undefined
  }
}
