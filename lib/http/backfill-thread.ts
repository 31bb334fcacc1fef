// Reads past sessions for `sessions.ts`, on a thread of its own.
import { parentPort, workerData } from 'node:worker_threads'
import { backfill } from '../native.js'
import { codeOf, hintOf, messageOf } from '../shared/problem.js'

try {
  parentPort?.postMessage({ report: backfill(workerData) })
} catch (error) {
  parentPort?.postMessage({ error: { code: codeOf(error), message: messageOf(error), hint: hintOf(error) } })
}
