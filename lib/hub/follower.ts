import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'
import { EventTail, type TailBatch } from '../native.js'

/** How often the file is looked at when the system tells of changes, and when it does not. */
const POLL_MS = 250
const POLL_ALONE_MS = 20
/** How much is read before others get their turn. */
const TURN_BYTES = 1 << 20
const READ_BYTES = 1 << 18

export interface FollowerOptions {
  projectDir: string
  /** Where to go on, as a live tail; the end of the file when absent. */
  tail?: EventTail
  /** The types that somebody wants; all when undefined. What nobody wants never leaves the engine. */
  wanted(): string[] | undefined
  take(batch: TailBatch): void
  fail(error: unknown): void
}

/** Follows the event file of a project (like `tail -F`), whichever process appends to it. */
export class Follower {
  private readonly options: FollowerOptions
  private readonly tail: EventTail
  private bell: FSWatcher | undefined
  private timer: NodeJS.Timeout | undefined
  private isRung = false
  private isSoon = false
  private isStopped = false

  constructor(options: FollowerOptions) {
    this.options = options
    this.tail = options.tail ?? EventTail.open({ projectDir: options.projectDir, newest: 0, live: true })
    this.hang()
    this.schedule()
  }

  /** The number of the last event that went by. */
  get seq(): number {
    return this.tail.seq
  }

  /** Where it stands; null before there is a file. */
  get position(): string | null {
    return this.tail.position
  }

  /** Reads what is there now, or the first mebibyte of it. */
  pump(): void {
    if (this.isStopped) return
    for (let bytes = 0; bytes < TURN_BYTES; bytes += READ_BYTES) {
      const handles = this.options.wanted()
      const batch = this.tail.read(handles ? { bytes: READ_BYTES, handles } : { bytes: READ_BYTES })
      if (batch.events.length > 0 || batch.lost) this.options.take(batch)
      if (batch.done) return
    }
    this.ring()
  }

  /** Reads on once the running code is done, however often it asks for that. */
  pumpSoon(): void {
    if (this.isSoon) return
    this.isSoon = true
    queueMicrotask(() => {
      this.isSoon = false
      this.tryToPump()
    })
  }

  /** Reads on, and tells of a failure instead of throwing it. */
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
    this.bell?.close()
    this.tail.close()
  }

  /** Has the system tell of changes: the file itself is replaced now and then, its folder is not. */
  private hang(): void {
    try {
      const bell = watch(join(this.options.projectDir, '.forge'), { persistent: false }, (_, name) => {
        if (name === null || name.startsWith('hub-events')) this.ring()
      })
      bell.on('error', () => this.unhang(bell))
      this.bell = bell
    } catch {
      // No folder yet, or too many watches: looking often does as well.
      this.bell = undefined
    }
  }

  private unhang(bell: FSWatcher): void {
    bell.close()
    if (this.bell === bell) this.bell = undefined
  }

  private ring(): void {
    if (this.isRung || this.isStopped) return
    this.isRung = true
    setImmediate(() => {
      this.isRung = false
      this.tryToPump()
    })
  }

  private schedule(): void {
    if (this.isStopped) return
    const look = () => {
      this.tryToPump()
      if (!this.bell) this.hang()
      this.schedule()
    }
    this.timer = setTimeout(look, this.bell ? POLL_MS : POLL_ALONE_MS)
    this.timer.unref()
  }
}
