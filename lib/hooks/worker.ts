/** The thread in which a hook call is handled, so that its deadline can end it whatever it waits for. */
import { parentPort, workerData } from 'node:worker_threads'
import type { HookCall } from './call.js'
import { finishOthers, handle } from './handle.js'

/** The input of the thread. */
export interface Task {
  call: HookCall
  /** The file of the pending marks of the call. */
  pending?: string
}

/** The messages of the thread: first that its own call is done, then that everything is. */
export type Word = { own: { context?: string } } | 'all'

const { call, pending } = workerData as Task

async function work(): Promise<void> {
  const context = await handle(call, pending)
  parentPort?.postMessage({ own: context === undefined ? {} : { context } } satisfies Word)
  await finishOthers(call)
  parentPort?.postMessage('all' satisfies Word)
}

// A fault ends the thread as it would without a promise.
void work()
