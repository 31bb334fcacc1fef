import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'
import { EventTail, memoryDir, type TailBatch } from '../native.js'

/** The polling interval with file system notifications, and without. */
const POLL_MS = 250
const POLL_ALONE_MS = 20
/** The maximum number of bytes read before control returns to the event loop. */
const PUMP_BYTES_MAX = 1 << 20
const READ_BYTES = 1 << 18

export interface FollowerOptions {
  projectDir: string
  /** Where to resume; the end of the file when absent. */
  tail?: EventTail
  /** Returns the types that clients handle; all when undefined. The engine filters out other events. */
  wanted(): string[] | undefined
  take(batch: TailBatch): void
  fail(error: unknown): void
}

/** Follows the event file of a project (like `tail -F`), whichever process appends to it. */
export class Follower {
  private readonly options: FollowerOptions
  private readonly tail: EventTail
  private watcher: FSWatcher | undefined
  private timer: NodeJS.Timeout | undefined
  private isPumpScheduled = false
  private isSoon = false
  private isStopped = false

  constructor(options: FollowerOptions) {
    this.options = options
    this.tail = options.tail ?? EventTail.open({ projectDir: options.projectDir, newest: 0, live: true })
    this.startWatching()
    this.schedule()
  }

  /** The sequence number of the last event read. */
  get seq(): number {
    return this.tail.seq
  }

  /** The position in the file; null while there is no file. */
  get position(): string | null {
    return this.tail.position
  }

  /** Reads the events that were appended, at most 1 MiB. */
  pump(): void {
    if (this.isStopped) return
    for (let bytes = 0; bytes < PUMP_BYTES_MAX; bytes += READ_BYTES) {
      const handles = this.options.wanted()
      const batch = this.tail.read(handles ? { bytes: READ_BYTES, handles } : { bytes: READ_BYTES })
      if (batch.events.length > 0 || batch.lost) this.options.take(batch)
      if (batch.done) return
    }
    this.schedulePump()
  }

  /** Schedules one read in the next microtask, however often it is called. */
  pumpSoon(): void {
    if (this.isSoon) return
    this.isSoon = true
    queueMicrotask(() => {
      this.isSoon = false
      this.tryToPump()
    })
  }

  /** Reads, and reports a failure instead of throwing it. */
  tryToPump(): void {
    try {
      this.pump()
    } catch (error) {
      this.options.fail(error)
    }
  }

  stop(): void {
    this.isStopped = true
    clearTimeout(this.timer)
    this.watcher?.close()
    this.tail.close()
  }

  /** Watches the folder, not the file: rotation replaces the file. */
  private startWatching(): void {
    try {
      const watcher = watch(
        join(memoryDir({ projectDir: this.options.projectDir }), '.forge'),
        { persistent: false },
        (_, name) => {
          if (name === null || name.startsWith('hub-events')) this.schedulePump()
        },
      )
      watcher.on('error', () => this.stopWatching(watcher))
      this.watcher = watcher
    } catch {
      // The folder does not exist, or the limit of watches is reached: polling is enough.
      this.watcher = undefined
    }
  }

  private stopWatching(watcher: FSWatcher): void {
    watcher.close()
    if (this.watcher === watcher) this.watcher = undefined
  }

  private schedulePump(): void {
    if (this.isPumpScheduled || this.isStopped) return
    this.isPumpScheduled = true
    setImmediate(() => {
      this.isPumpScheduled = false
      this.tryToPump()
    })
  }

  private schedule(): void {
    if (this.isStopped) return
    const poll = () => {
      this.tryToPump()
      if (!this.watcher) this.startWatching()
      this.schedule()
    }
    this.timer = setTimeout(poll, this.watcher ? POLL_MS : POLL_ALONE_MS)
    this.timer.unref()
  }
}
