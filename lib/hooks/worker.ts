/** The thread in which a hook call is handled, so that its deadline can end it whatever it waits for. */
import { parentPort, workerData } from 'node:worker_threads'
import type { HookCall } from './call.js'
import { handle } from './handle.js'

parentPort?.postMessage(handle(workerData as HookCall))
