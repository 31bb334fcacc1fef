import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { type ProjectOptions, workProgress } from '../../native.js'
import { ERASE_LINE } from '../page/terminal.js'
import { type WaitingData, WORDS } from './waiting-state.js'

const REDRAW_MS = 200
const BAR_WIDTH = 24

/** Waits, and tells whether it was told to stop meanwhile. */
function isStopped(words: Int32Array<SharedArrayBuffer>, milliseconds: number): boolean {
  return Atomics.wait(words, WORDS.stop, 0, milliseconds) !== 'timed-out'
}

/** How far the engine has come, as a bar, for work that it counts. */
function share(project: ProjectOptions): string {
  const { done, total } = workProgress(project)
  if (total === 0) return ''
  const filled = Math.floor((Math.min(done, total) / total) * BAR_WIDTH)
  return ` [${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${done} of ${total}`
}

function draw({ words, delayMs, descriptor, project }: WaitingData): void {
  const started = Date.now()
  if (isStopped(words, delayMs)) return
  // Announced first, then looked again: either the main thread sees the announcement or this thread sees the stop.
  Atomics.store(words, WORDS.drawn, 1)
  while (!isStopped(words, 0)) {
    writeSync(descriptor, `${ERASE_LINE}working, ${((Date.now() - started) / 1000).toFixed(0)} s${share(project)}`)
    if (isStopped(words, REDRAW_MS)) break
  }
  writeSync(descriptor, ERASE_LINE)
  Atomics.store(words, WORDS.drawn, 0)
  Atomics.notify(words, WORDS.drawn)
}

draw(workerData as WaitingData)
