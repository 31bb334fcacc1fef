// Captures file changes by rules: a file watcher with a debounce per path. One process per project is active (leader
// election).

import { closeSync, readSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'
import type { Hub } from '../hub/hub.js'
import { buildWatcherSearchPrompt, captureMemory, memoryStatus, type ProjectDuty } from '../native.js'
import { resolveConfined } from '../shared/confined.js'
import { PROJECT_FILE } from '../shared/declared-settings.js'
import { takeDuty } from '../shared/duty.js'
import { messageOf } from '../shared/problem.js'
import { openRegular } from '../shared/regular-file.js'
import { Ignored } from './ignored.js'
import { checkRule, type FileEvent, foldersOf, type Rule, readRules, type WatchRule } from './rules.js'

const DEBOUNCE_MS = 300
/** How often a watcher on standby tries to take the lock. */
const RETRY_MS = 1000
const CONTENT_BYTES_MAX = 8 * 1024

export interface WatcherOptions {
  projectDir: string
  /** Replaces the rules of `.forge.json`. */
  rules?: WatchRule[]
  /** Receives a `watcher-captured` event for every capture. */
  hub?: Hub
  /** The debounce delay per file; 300 ms when absent. */
  debounceMs?: number
}

/** The state of a watcher. */
export interface WatcherState {
  running: boolean
  /** True while another process of the project watches. */
  standby: boolean
  rules: number
  /** Captures made so far. */
  captures: number
  /** Problems of rules and captures. */
  problems: string[]
}

interface Waiting {
  timer: NodeJS.Timeout
  event: FileEvent
}

/** Captures file changes by rules. One watcher per project is active. */
export class Watcher {
  private readonly options: WatcherOptions
  private readonly root: string
  private readonly ignored: Ignored
  private readonly waiting = new Map<string, Waiting>()
  private readonly retry: NodeJS.Timeout
  private duty: ProjectDuty | undefined
  private files: FSWatcher | undefined
  private settings: FSWatcher | undefined
  private rules: Rule[] = []
  private problems: string[] = []
  private captures = 0
  private isWatching = false
  private isClosed = false

  constructor(options: WatcherOptions) {
    this.options = options
    this.root = options.projectDir
    this.ignored = new Ignored(this.root)
    this.retry = setInterval(() => void this.takeDutyIfFree(), RETRY_MS)
    this.retry.unref()
  }

  /**
   * Reads the rules, and starts to watch unless another process does. Throws `INVALID_INPUT` when a rule in the options
   * is invalid.
   */
  async start(): Promise<void> {
    this.load()
    if (!this.options.rules) {
      this.settings = watch(join(this.root, PROJECT_FILE), { ignoreInitial: true, persistent: false })
      this.settings.on('all', () => void this.reload())
      await ready(this.settings)
    }
    await this.takeDutyIfFree()
  }

  state(): WatcherState {
    return {
      running: this.isWatching,
      standby: this.duty === undefined && !this.isClosed,
      rules: this.rules.length,
      captures: this.captures,
      problems: [...this.problems],
    }
  }

  /** Captures pending changes and stops. */
  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    this.isWatching = false
    clearInterval(this.retry)
    await this.settings?.close()
    await this.files?.close()
    this.files = undefined
    for (const [key, { timer }] of [...this.waiting]) {
      clearTimeout(timer)
      this.settle(key)
    }
    this.duty?.release()
  }

  private load(): void {
    const { rules } = this.options
    if (rules) {
      this.rules = rules.map((rule, at) => checkRule(rule, `rules[${at}]`))
    } else {
      const read = readRules(this.root)
      this.rules = read.rules
      this.problems = read.problems
    }
  }

  private async reload(): Promise<void> {
    this.load()
    if (!this.duty) return
    await this.files?.close()
    this.files = undefined
    this.isWatching = false
    await this.watchFiles()
  }

  private async takeDutyIfFree(): Promise<void> {
    if (this.duty || this.isClosed) return
    this.duty = takeDuty('watcher', this.root)
    if (this.duty === undefined) return
    await this.watchFiles()
  }

  private async watchFiles(): Promise<void> {
    if (this.rules.length === 0 || this.isClosed) return
    const folders = foldersOf(this.rules)
    const files = watch(this.root, {
      ignoreInitial: true,
      followSymlinks: false,
      persistent: false,
      ignored: (path, stats) => {
        const within = this.within(path)
        const isFolder = stats?.isDirectory() ?? false
        return (isFolder && !leadsToOne(within, folders)) || this.ignored.has(within, isFolder)
      },
    })
    for (const event of ['add', 'change', 'unlink'] as const) files.on(event, (path) => this.note(event, path))
    files.on('error', (error) => this.noteProblem(error))
    this.files = files
    await ready(files)
    this.isWatching = this.files === files && !this.isClosed
  }

  private within(path: string): string {
    return relative(this.root, path).split(sep).join('/')
  }

  /** Debounces per file, because an editor causes several events for one change. */
  private note(event: FileEvent, path: string): void {
    const key = this.within(path)
    if (basename(key) === '.gitignore') this.ignored.clear()
    if (!this.rules.some((rule) => rule.matches(key))) return
    const before = this.waiting.get(key)
    if (before) clearTimeout(before.timer)
    const timer = setTimeout(() => this.settle(key), this.options.debounceMs ?? DEBOUNCE_MS)
    this.waiting.set(key, { timer, event: before ? joined(before.event, event) : event })
  }

  private settle(path: string): void {
    const waiting = this.waiting.get(path)
    this.waiting.delete(path)
    if (!waiting) return
    for (const rule of this.rules) {
      if (!rule.events.has(waiting.event) || !rule.matches(path)) continue
      try {
        this.capture(rule, waiting.event, path)
      } catch (error) {
        this.noteProblem(error)
      }
    }
  }

  private capture(rule: Rule, event: FileEvent, path: string): void {
    const { projectName, shortName } = memoryStatus({ projectDir: this.root })
    const prompt = buildWatcherSearchPrompt({ rule: rule.name, event, path }, shortName)
    const facts: Record<string, () => string> = {
      event: () => event,
      path: () => path,
      file: () => basename(path),
      folder: () => dirname(path),
      rule: () => rule.name,
      project: () => projectName,
      prompt: () => prompt,
      content: () => (event === 'unlink' ? '' : contentOf(this.root, path)),
    }
    const body = rule.body.replace(/\{(\w+)\}/g, (text, name: string) => facts[name]?.() ?? text)
    const { id, deduped } = captureMemory(
      {
        type: rule.type,
        body,
        source: `watcher/${rule.name}`,
        ...(rule.tags ? { tags: rule.tags } : {}),
        ...(rule.confidence === undefined ? {} : { confidence: rule.confidence }),
      },
      { projectDir: this.root, author: 'watcher', door: 'watcher' },
    )
    this.captures += 1
    this.options.hub?.broadcast({ type: 'watcher-captured', rule: rule.name, path, event, id, deduped, prompt })
  }

  private noteProblem(error: unknown): void {
    this.problems.push(messageOf(error))
    if (this.problems.length > 20) this.problems.shift()
  }
}

function ready(files: FSWatcher): Promise<void> {
  return new Promise((resolve) => files.once('ready', () => resolve()))
}

/** Folders in which no rule can match are not watched; a folder that is created later is. */
function leadsToOne(folder: string, wanted: string[]): boolean {
  return wanted.some((base) => {
    return base === '' || folder === '' || isWithin(folder, base) || isWithin(base, folder)
  })
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

/** Merges two consecutive events. */
function joined(first: FileEvent, second: FileEvent): FileEvent {
  if (first === 'add' && second === 'change') return 'add'
  return first === 'unlink' && second === 'add' ? 'change' : second
}

/** Returns the beginning of a text file; empty for anything but a regular text file inside of the project. */
function contentOf(root: string, path: string): string {
  let file: number | undefined
  try {
    file = openRegular(resolveConfined(root, path))
    if (file === undefined) return ''
    const start = Buffer.alloc(CONTENT_BYTES_MAX)
    const text = start.subarray(0, readSync(file, start, 0, CONTENT_BYTES_MAX, 0)).toString('utf8')
    return text.includes('\0') ? '' : text
  } catch {
    return ''
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
