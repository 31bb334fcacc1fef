/** The thread in which a hook call is handled, so that its deadline can end it whatever it waits for. */
import { parentPort, workerData } from 'node:worker_threads'
import type { HookCall } from './call.js'
import { finishOthers, handle } from './handle.js'

/** What the thread is given. */
export interface Task {
  call: HookCall
  /** The file of what the call has to store. */
  pending?: string
}

/** What the thread says: first that its own call is done, then that all is. */
export type Word = { own: { context?: string } } | 'all'

const { call, pending } = workerData as Task
const context = handle(call, pending)
parentPort?.postMessage({ own: context === undefined ? {} : { context } } satisfies Word)
finishOthers(call)
parentPort?.postMessage('all' satisfies Word)
