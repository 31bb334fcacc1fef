import { existsSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'
import type { Hub } from '../hub/hub.js'
import { latticeIndex, type ProjectDuty, projectSettings } from '../native.js'
import { takeDuty } from '../shared/duty.js'
import { hasCode, messageOf } from '../shared/problem.js'
import { broadcastIndexed } from './broadcast.js'
import { Ignored } from './ignored.js'

/** Debounce: an editor or a checkout causes several events for one change. */
const DEBOUNCE_MS = 300
/** The maximum debounce delay while files keep changing. */
const DEBOUNCE_MAX_MS = 3000
/** How often a keeper on standby checks for an index and tries to take the lock. */
const RETRY_MS = 1000

export interface KeeperOptions {
  projectDir: string
  /** Receives a `lattice-indexed` event for every change of the index. */
  hub?: Hub
}

/** The state of the keeper. */
export interface KeeperState {
  running: boolean
  /** True while there is no index, or another process of the project maintains it. */
  standby: boolean
  /** The number of completed runs. */
  runs: number
  /** Why the last run failed. */
  lastError?: string
}

/**
 * Keeps the code graph up to date: changed files are indexed after a debounce, on the thread pool. It is active once an
 * index exists. The setting `lattice.watch` of `.forge.json` makes it build a missing index (`true`), or switches it
 * off (`false`). One keeper per project is active (leader election).
 */
export class LatticeKeeper {
  private readonly root: string
  private readonly hub: Hub | undefined
  private readonly ignored: Ignored
  private readonly retry: NodeJS.Timeout
  private duty: ProjectDuty | undefined
  private files: FSWatcher | undefined
  private timer: NodeJS.Timeout | undefined
  private firstChange = 0
  private indexing: Promise<void> | undefined
  private isDue = false
  private isWatching = false
  private isClosed = false
  private runs = 0
  private lastError: string | undefined

  constructor({ projectDir, hub }: KeeperOptions) {
    this.root = projectDir
    this.hub = hub
    this.ignored = new Ignored(projectDir)
    this.retry = setInterval(() => this.takeDutyIfFree(), RETRY_MS)
    this.retry.unref()
    this.takeDutyIfFree()
  }

  state(): KeeperState {
    return {
      running: this.isWatching,
      standby: this.duty === undefined && !this.isClosed,
      runs: this.runs,
      ...(this.lastError === undefined ? {} : { lastError: this.lastError }),
    }
  }

  /** Waits for the current run, and stops watching. */
  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    this.isWatching = false
    clearInterval(this.retry)
    clearTimeout(this.timer)
    await this.files?.close()
    await this.indexing
    this.duty?.release()
  }

  private takeDutyIfFree(): void {
    if (this.duty || this.isClosed || !this.isWanted()) return
    try {
      this.ignored.open()
    } catch (error) {
      this.noteProblem(error)
      return
    }
    this.duty = takeDuty('lattice-keeper', this.root)
    if (this.duty === undefined) return
    this.watchFiles()
  }

  private isWanted(): boolean {
    const { given } = projectSettings({ projectDir: this.root })
    return given.lattice?.watch ?? existsSync(join(this.root, '.forge', 'lattice', 'meta.json'))
  }

  private watchFiles(): void {
    const files = watch(this.root, {
      ignoreInitial: true,
      followSymlinks: false,
      persistent: false,
      ignored: (path, stats) => this.ignored.has(this.within(path), stats?.isDirectory() ?? false),
    })
    for (const event of ['add', 'change', 'unlink'] as const) files.on(event, (path) => this.note(path))
    files.on('error', (error) => this.noteProblem(error))
    files.once('ready', () => {
      this.isWatching = !this.isClosed
      // Files may have changed while no process was watching.
      this.start()
    })
    this.files = files
  }

  private within(path: string): string {
    return relative(this.root, path).split(sep).join('/')
  }

  private note(path: string): void {
    if (basename(path) === '.gitignore') this.ignored.clear()
    const now = Date.now()
    if (this.timer === undefined) this.firstChange = now
    clearTimeout(this.timer)
    const wait = Math.min(DEBOUNCE_MS, Math.max(0, this.firstChange + DEBOUNCE_MAX_MS - now))
    this.timer = setTimeout(() => this.start(), wait)
  }

  /** Starts a run; while one is running, schedules another one after it. */
  private start(): void {
    this.timer = undefined
    if (this.isClosed) return
    if (this.indexing) {
      this.isDue = true
      return
    }
    this.isDue = false
    this.indexing = this.run().finally(() => {
      this.indexing = undefined
      if (this.isDue) this.start()
    })
  }

  private async run(): Promise<void> {
    // The user deleted the index, so it is not built again.
    if (!this.isWanted()) return
    try {
      const outcome = await latticeIndex({ projectDir: this.root })
      this.runs += 1
      this.lastError = undefined
      if (outcome.filesChanged + outcome.filesRemoved > 0) broadcastIndexed(this.hub, outcome)
    } catch (error) {
      this.noteProblem(error)
      if (hasCode(error, 'LOCKED')) this.timer ??= setTimeout(() => this.start(), RETRY_MS)
    }
  }

  private noteProblem(error: unknown): void {
    this.lastError = messageOf(error)
  }
}
