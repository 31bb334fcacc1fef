import { writeSync } from 'node:fs'
import { receiveMessageOnPort, workerData } from 'node:worker_threads'
import { type ProjectOptions, workProgress } from '../../native.js'
import { openPage, type Page } from '../page/page.js'
import { progressLine, type WorkState } from '../page/progress-line.js'
import { ERASE_LINE, ERASE_REST } from '../page/terminal.js'
import type { Progress } from '../page/work.js'
import { type WaitingData, WORDS } from './waiting-state.js'

const REDRAW_MS = 100

/** Sleeps, and is true if it was asked to stop in the meantime. */
function isStopped(words: Int32Array<SharedArrayBuffer>, milliseconds: number): boolean {
  return Atomics.wait(words, WORDS.stop, 0, milliseconds) !== 'timed-out'
}

/** Follows the work: the reports of the main thread, else the counts of the engine. */
class Follower {
  private reported: Progress | undefined
  private begun: { verb: string; total: number; at: number; done: number } | undefined

  constructor(
    private readonly data: WaitingData,
    private readonly started: number,
  ) {}

  state(): WorkState {
    const { verb, unit, done, total } = { ...this.data, ...this.counted() }
    // The rate is that of this part of the work: another one begins when verb or total change, or the count falls.
    if (this.begun?.verb !== verb || this.begun.total !== total || done < this.begun.done) {
      this.begun = { verb, total, at: total === 0 || this.begun === undefined ? this.started : Date.now(), done: 0 }
    }
    this.begun.done = done
    return { verb, unit, done, total, elapsedMs: Date.now() - this.begun.at }
  }

  private counted(): Progress {
    const { port, project } = this.data
    for (let next = port && receiveMessageOnPort(port); port && next; next = receiveMessageOnPort(port)) {
      this.reported = next.message as Progress | undefined
    }
    return this.reported ?? engineProgress(project)
  }
}

function engineProgress(project: ProjectOptions): Progress {
  try {
    return workProgress(project)
  } catch {
    // The command itself reports why the project cannot be opened.
    return { done: 0, total: 0 }
  }
}

function draw(data: WaitingData, page: Page, started: number): void {
  const { words, delayMs, descriptor } = data
  const follower = new Follower(data, started)
  if (isStopped(words, delayMs)) return
  // Sets `drawn` before it checks `stop` again: either the main thread sees `drawn`, or this thread sees `stop`
  // (Dekker's algorithm).
  Atomics.store(words, WORDS.drawn, 1)
  let before = ''
  while (!isStopped(words, 0)) {
    const line = progressLine(follower.state(), page)
    // One write a line, over the previous one: erasing it first would flicker.
    if (line !== before) writeSync(descriptor, `\r${line}${ERASE_REST}`)
    before = line
    if (isStopped(words, REDRAW_MS)) break
  }
  writeSync(descriptor, ERASE_LINE)
  Atomics.store(words, WORDS.drawn, 0)
  Atomics.notify(words, WORDS.drawn)
}

const data = workerData as WaitingData
const started = Date.now()
openPage(data.descriptor).then((page) => draw(data, { ...page, width: data.width }, started))
