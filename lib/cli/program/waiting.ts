import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MessageChannel, Worker } from 'node:worker_threads'
import { memoryDir, type ProjectOptions } from '../../native.js'
import { widthOf } from '../page/page.js'
import type { Display, Progress, Work } from '../page/work.js'
import { type WaitingData, WORDS } from './waiting-state.js'

/** With a smaller memory, no call takes a second, and starting the thread (9 ms) would be a large part of the time. */
const LARGE_BYTES = 64 * 1024 * 1024
const DELAY_MS = 1000
const REPORT_MS = 50
const UNKNOWN: Pick<Work, 'verb' | 'unit'> = { verb: 'working', unit: 'steps' }

/**
 * Returns the start of a display of progress after a second of work; undefined for a short command on a small memory.
 *
 * Calls into the engine block the main thread, so a second thread draws. For commands with declared work, it starts
 * whatever the size of the memory.
 */
export function displayOf(project: ProjectOptions, work: Work | undefined): (() => Display) | undefined {
  if (work === undefined && storedBytes(project) < LARGE_BYTES) return undefined
  return () => startDisplay(project, work ?? UNKNOWN)
}

function startDisplay(project: ProjectOptions, { verb, unit }: Pick<Work, 'verb' | 'unit'>): Display {
  const { port1, port2 } = new MessageChannel()
  const words = new Int32Array(new SharedArrayBuffer(8))
  const data: WaitingData = {
    words,
    delayMs: DELAY_MS,
    descriptor: 2,
    project,
    width: widthOf(2),
    verb,
    unit,
    port: port2,
  }
  new Worker(join(__dirname, 'waiting-thread.js'), { workerData: data, transferList: [port2] }).unref()
  port1.unref()
  let reported = 0
  let said: string | undefined
  return {
    show(progress: Progress | undefined) {
      // Each step has to be named, however short those before it were.
      if (progress?.verb === said && Date.now() - reported < REPORT_MS) return
      reported = Date.now()
      said = progress?.verb
      port1.postMessage(progress)
    },
    stop() {
      stopWaiting(words)
      port1.close()
    },
  }
}

/** Ends the display, and returns after its line is erased, so that it cannot be drawn into the answer. */
function stopWaiting(words: Int32Array): void {
  Atomics.store(words, WORDS.stop, 1)
  Atomics.notify(words, WORDS.stop)
  Atomics.wait(words, WORDS.drawn, 1, DELAY_MS)
}

function storedBytes(project: ProjectOptions): number {
  try {
    const folder = join(memoryDir(project), '.forge')
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  } catch {
    // Without a memory there is nothing to wait for; the command itself reports other errors.
    return 0
  }
}
