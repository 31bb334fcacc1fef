// A file watcher with polling as fallback, debounced.
import { existsSync, type FSWatcher, statSync, watch } from 'node:fs'
import { join } from 'node:path'
import { memoryDir } from '../native.js'

const QUEUE = 'openbrain-queue.jsonl'
/** Debounce: several lines written at once are one wake-up. */
const SETTLE_MS = 50
const POLL_MS = 1000

/** Calls back when any process appends to a project's queue. Does not keep the process alive. */
export class QueueWatcher {
  readonly #folder: string
  readonly #onChange: () => void
  readonly #pollTimer: NodeJS.Timeout
  #watcher: FSWatcher | undefined
  #settling: NodeJS.Timeout | undefined
  #seen = ''

  constructor(projectDir: string, onChange: () => void) {
    this.#folder = join(memoryDir({ projectDir }), '.forge')
    this.#onChange = onChange
    this.#seen = this.#fingerprint()
    this.#watch()
    // Not every file system reports changes, and the folder may not be there yet.
    this.#pollTimer = setInterval(() => this.#poll(), POLL_MS)
    this.#pollTimer.unref()
  }

  close(): void {
    clearInterval(this.#pollTimer)
    clearTimeout(this.#settling)
    this.#watcher?.close()
    this.#watcher = undefined
  }

  #watch(): void {
    if (this.#watcher !== undefined || !existsSync(this.#folder)) return
    try {
      this.#watcher = watch(this.#folder, { persistent: false }, (_event, name) => {
        if (name === null || name === QUEUE) this.#changed()
      })
      this.#watcher.on('error', () => {
        this.#watcher?.close()
        this.#watcher = undefined
      })
    } catch {
      // The limit of file watches is reached: polling is enough.
      this.#watcher = undefined
    }
  }

  #poll(): void {
    this.#watch()
    const seen = this.#fingerprint()
    if (seen === this.#seen) return
    this.#changed()
  }

  #changed(): void {
    if (this.#settling !== undefined) return
    this.#settling = setTimeout(() => {
      this.#settling = undefined
      this.#seen = this.#fingerprint()
      this.#onChange()
    }, SETTLE_MS)
    this.#settling.unref()
  }

  #fingerprint(): string {
    try {
      const { size, mtimeMs, ino } = statSync(join(this.#folder, QUEUE))
      return `${size} ${mtimeMs} ${ino}`
    } catch {
      return ''
    }
  }
}
