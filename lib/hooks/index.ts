/** Lifecycle hooks of agents: a fault of the memory never blocks or delays a prompt. */
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { answerFor } from './answer.js'
import { readCall } from './call.js'

export { EVENT_NAMES } from './call.js'

/** What became of a call. */
export interface HookOutcome {
  /** What to print on standard output. */
  answer: string
  /** Why there is nothing to say although there might have been. */
  problem?: string
}

/** What a call may take, in milliseconds; slow machines may allow more with FORGE_MEMORY_HOOK_DEADLINE_MS. */
const DEADLINE_MS = 90

function deadlineFrom(env: NodeJS.ProcessEnv): number {
  const given = Number(env.FORGE_MEMORY_HOOK_DEADLINE_MS)
  return Number.isInteger(given) && given > 0 ? given : DEADLINE_MS
}

/** Answers a hook call within the deadline. Never throws, never rejects. */
export async function runHook(name: string, input: string, deadline = deadlineFrom(process.env)): Promise<HookOutcome> {
  const call = readCall(name, input)
  if (call === undefined) return { answer: '', problem: `${name}: not an event, or no JSON object on standard input` }
  try {
    if (call.cwd !== undefined) process.chdir(call.cwd)
    return { answer: answerFor(call, await handleInTime(call, deadline)) }
  } catch (error) {
    return { answer: answerFor(call, undefined), problem: error instanceof Error ? error.message : String(error) }
  }
}

function handleInTime(call: object, deadline: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(join(__dirname, 'worker.js'), { workerData: call })
    const timer = setTimeout(() => {
      worker.unref()
      reject(new Error(`not done within ${deadline} ms; nothing was added to the prompt`))
    }, deadline)
    worker.once('message', (context?: string) => {
      clearTimeout(timer)
      resolve(context)
    })
    worker.once('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
  })
}
