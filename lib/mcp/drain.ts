import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createDrainWorker } from '../api/shared-memory.js'
import { findProject, type ProjectOptions } from '../native.js'
import type { DrainWorker } from '../outbox/drain-worker.js'

/** How often a project without a queue is looked at. */
const POLL_MS = 2000
/** The first poll is after the client's first answer: loading what delivers would delay that one. */
const FIRST_POLL_MS = 500

/**
 * Delivers what agents capture to the shared store while a server runs. It begins with the first record: a project in which
 * nothing was ever captured stays without a folder. Returns what ends it.
 */
export function keepDrained(options: ProjectOptions): () => Promise<void> {
  const queue = join(findProject(options), '.forge', 'openbrain-queue.jsonl')
  let worker: Promise<DrainWorker> | undefined
  const poll = () => {
    if (worker !== undefined || !existsSync(queue)) return
    clearInterval(timer)
    worker = createDrainWorker(options).then((made) => made.start())
    // `status` and `doctor` report what keeps it from starting; agents are served nevertheless.
    worker.catch(() => undefined)
  }
  const timer = setInterval(poll, POLL_MS)
  timer.unref()
  const first = setTimeout(poll, FIRST_POLL_MS)
  first.unref()
  return async () => {
    clearTimeout(first)
    clearInterval(timer)
    await worker?.then(
      (made) => made.stop(),
      () => undefined,
    )
  }
}
