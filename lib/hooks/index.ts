/** Lifecycle hooks of agents: a fault of the memory never blocks or delays a prompt. */

import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { forgeHome } from '../shared/home.js'
import { messageOf } from '../shared/problem.js'
import { answerFor } from './answer.js'
import { type HookCall, readCall } from './call.js'
import { claimCall } from './duplicate-calls.js'
import { note } from './pending-marks.js'
import type { Task, Word } from './worker.js'

export { EVENT_NAMES } from './call.js'

/** The outcome of a call. */
export interface HookOutcome {
  /** What to print on standard output. */
  answer: string
  /** Why there is nothing to say although there might have been. */
  problem?: string
}

/** The deadline of a call that blocks the agent, in milliseconds: it delays every prompt. */
const CONTEXT_MS = 300
/** What a call that only captures may take: the hooks that `init` writes are given five seconds, with the start of the process. */
const CAPTURE_MS = 4000

/** FORGE_MEMORY_HOOK_DEADLINE_MS sets both. */
function deadlineOf(call: HookCall): number {
  const given = Number(process.env.FORGE_MEMORY_HOOK_DEADLINE_MS)
  if (Number.isInteger(given) && given > 0) return given
  return addsContext(call) ? CONTEXT_MS : CAPTURE_MS
}

const addsContext = ({ event }: HookCall) => event === 'session-start' || event === 'prompt'

/** Answers a hook call within the deadline. Never throws, never rejects. */
export async function runHook(name: string, input: string, deadline?: number): Promise<HookOutcome> {
  const call = readCall(name, input)
  if (call === undefined)
    return { answer: '', problem: `${name}: not a known event, or standard input is not a JSON object` }
  const turn = claimCall(call, forgeHome())
  if (turn === undefined) return { answer: answerFor(call, undefined) }
  try {
    if (call.cwd !== undefined) process.chdir(call.cwd)
    const context = await handleInTime(call, deadline ?? deadlineOf(call))
    return { answer: answerFor(call, context) }
  } catch (error) {
    turn.release()
    const message = messageOf(error)
    return { answer: answerFor(call, undefined), problem: `${message}; ${notDone(call)}` }
  }
}

function notDone({ event }: HookCall): string {
  if (event === 'session-start') return 'the session starts without recalled notes'
  if (event === 'prompt') return 'nothing was added to the prompt'
  return 'what the agent marked may not be stored yet: the next call that captures stores it'
}

function handleInTime(call: HookCall, deadline: number): Promise<string | undefined> {
  const pending = notePending(call)
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
function notePending(call: HookCall): string | undefined {
  try {
    return addsContext(call) && call.transcript === undefined ? undefined : note(call, forgeHome())
  } catch {
    return undefined
  }
}
