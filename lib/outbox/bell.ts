import { existsSync, type FSWatcher, statSync, watch } from 'node:fs'
import { join } from 'node:path'

const QUEUE = 'openbrain-queue.jsonl'
/** Several lines written at once are one reason to wake up. */
const SETTLE_MS = 50
const LOOK_MS = 1000

/** Rings when something is put into a project's queue, by whichever process. Keeps no process alive. */
export class Bell {
  readonly #folder: string
  readonly #ring: () => void
  readonly #looking: NodeJS.Timeout
  #watcher: FSWatcher | undefined
  #settling: NodeJS.Timeout | undefined
  #seen = ''

  constructor(projectDir: string, ring: () => void) {
    this.#folder = join(projectDir, '.forge')
    this.#ring = ring
    this.#seen = this.#fingerprint()
    this.#watch()
    // Not every file system reports changes, and the folder may not be there yet.
    this.#looking = setInterval(() => this.#look(), LOOK_MS)
    this.#looking.unref()
  }

  close(): void {
    clearInterval(this.#looking)
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
      // The system has no watch to spare: looking now and then does it as well.
      this.#watcher = undefined
    }
  }

  #look(): void {
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
      this.#ring()
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
