// Reads past sessions for `routes.ts`, on a thread of its own. What it throws reaches it with its code and its hint.
import { parentPort, workerData } from 'node:worker_threads'
import { backfill } from '../../native.js'

parentPort?.postMessage(backfill(workerData))
