import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { findProject, type ProjectOptions } from '../../native.js'
import { type WaitingData, WORDS } from './waiting-state.js'

/** Below this no call takes a second, and starting the thread (9 ms) would be the longest part of the wait. */
const LARGE_BYTES = 64 * 1024 * 1024
const DELAY_MS = 1000

/**
 * Shows that work goes on when a call into the engine takes longer than a second, and returns what ends the display.
 *
 * The engine's calls occupy the main thread, so a second one draws. Commands that work on the whole memory, or on a file
 * from outside, are watched whatever the size of the memory.
 */
export function showWaiting(project: ProjectOptions, isSlow = false): () => void {
  if (!isSlow && storedBytes(project) < LARGE_BYTES) return () => undefined
  const data: WaitingData = {
    words: new Int32Array(new SharedArrayBuffer(8)),
    delayMs: DELAY_MS,
    descriptor: 2,
    project,
  }
  new Worker(join(__dirname, 'waiting-thread.js'), { workerData: data }).unref()
  return () => stopWaiting(data.words)
}

/** Ends the display and returns when its line is gone, so that it cannot be drawn into the answer. */
export function stopWaiting(words: Int32Array): void {
  Atomics.store(words, WORDS.stop, 1)
  Atomics.notify(words, WORDS.stop)
  Atomics.wait(words, WORDS.drawn, 1, DELAY_MS)
}

function storedBytes(project: ProjectOptions): number {
  try {
    const folder = join(findProject(project), '.forge')
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  } catch {
    // Nothing is stored, or the command itself is about to say what is wrong.
    return 0
  }
}
