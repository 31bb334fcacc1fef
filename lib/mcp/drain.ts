import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createDrainWorker, keepReplicaFresh } from '../api/shared-memory.js'
import { memoryDir, type ProjectOptions } from '../native.js'
import type { DrainWorker } from '../outbox/drain-worker.js'

/** The polling interval until the project has a queue. */
const POLL_MS = 2000
/** The delay of the first poll: loading the worker would delay the first answer to the client. */
const FIRST_POLL_MS = 500

/**
 * Delivers captures to the shared store while a server runs. Starts with the first queued record, so that a project in
 * which nothing was ever captured gets no folder. Returns a function that stops it.
 */
export function keepDrained(options: ProjectOptions): () => Promise<void> {
  const queue = join(memoryDir(options), '.forge', 'openbrain-queue.jsonl')
  let worker: Promise<DrainWorker> | undefined
  const poll = () => {
    if (worker !== undefined || !existsSync(queue)) return
    clearInterval(timer)
    worker = createDrainWorker(options).then((made) => made.start())
    // `status` and `doctor` report why it cannot start; the server works without it.
    worker.catch(() => undefined)
  }
  const stopConfirming = keepReplicaFresh(options)
  const timer = setInterval(poll, POLL_MS)
  timer.unref()
  const first = setTimeout(poll, FIRST_POLL_MS)
  first.unref()
  return async () => {
    stopConfirming()
    clearTimeout(first)
    clearInterval(timer)
    await worker?.then(
      (made) => made.stop(),
      () => undefined,
    )
  }
}
