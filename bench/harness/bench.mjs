// What the measures share: datasets and stores made once a run, child processes, the reference programs.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepareDataset, readLessons } from '../data/dataset.mjs'
import { readPairs } from '../data/pairs.mjs'
import { makeProject, writeStore } from '../data/store.mjs'
import { Children } from './children.mjs'
import { sizeName } from './command.mjs'
import { waitForQuiet } from './quiet.mjs'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const REFERENCES = fileURLToPath(new URL('../references/', import.meta.url))

/** The parts of the package that are measured. */
export const ADDON = join(ROOT, 'index.js')
export const MAIN = join(ROOT, 'dist', 'index.js')
export const CLI = join(ROOT, 'dist', 'cli', 'main.js')

export class Bench {
  #datasets = new Map()
  #captured = new Map()
  #written = new Map()
  #databases = new Map()
  #pairs = new Map()
  #runDir
  #areBuilt = false

  constructor(options) {
    this.options = options
    /** What could not be measured, and why. */
    this.skipped = []
    this.children = new Children(options.work)
    this.#runDir = join(options.work, 'run')
    rmSync(this.#runDir, { recursive: true, force: true })
    mkdirSync(this.#runDir, { recursive: true })
  }

  progress(text) {
    process.stderr.write(`  ${text}\n`)
  }

  /** Runs the work once a round, each time when the machine is quiet. */
  eachRound(what, work) {
    for (let round = 0; round < this.options.rounds; round++) {
      this.progress(`${what}, round ${round + 1} of ${this.options.rounds}`)
      waitForQuiet()
      work(round)
    }
  }

  /** Notes that a measure cannot be taken, and returns its rows: none. */
  skip(measure, reason) {
    this.skipped.push(`${measure}: ${reason}`)
    return []
  }

  /** A path in the folder of this run, which the next run empties. */
  path(name) {
    return join(this.#runDir, name)
  }

  /** The files of a size; `texts` is `lessons` or `notes`, here and below. */
  dataset(size, texts = 'lessons') {
    return this.#once(this.#datasets, `${texts}-${size}`, () => prepareDataset(this.options.work, size, texts))
  }

  #once(made, name, make) {
    if (!made.has(name)) made.set(name, make())
    return made.get(name)
  }

  /**
   * A store that was filled through `captureMemory`, one call a lesson: `{ dir, seconds, firstTenth, lastTenth, verdicts }`.
   * Measures may add a few records to it.
   */
  captured(size, texts = 'lessons') {
    return this.#once(this.#captured, `${texts}-${size}`, () => {
      this.progress(`capturing ${sizeName(size)} ${texts}`)
      const dir = this.newProject(`captured-${texts}-${size}`)
      const verdicts = this.path(`verdicts-${texts}-${size}.json`)
      const report = this.children.run('capture-all', { dir, corpus: this.dataset(size, texts).corpus, verdicts })
      return { dir, verdicts, ...report }
    })
  }

  /** A store whose files were written without the package: every lesson is in it, duplicates too. */
  written(size, texts = 'lessons') {
    return this.#once(this.#written, `${texts}-${size}`, () => {
      const dir = this.path(`written-${texts}-${size}`)
      writeStore(dir, readLessons(this.dataset(size, texts).corpus))
      this.progress(`indexing ${sizeName(size)} written ${texts}`)
      this.children.run('settle', { dir })
      return dir
    })
  }

  /** An empty project. */
  newProject(name) {
    const dir = this.path(name)
    rmSync(dir, { recursive: true, force: true })
    makeProject(dir)
    return dir
  }

  copyProject(from, name) {
    const dir = this.path(name)
    rmSync(dir, { recursive: true, force: true })
    cpSync(from, dir, { recursive: true })
    return dir
  }

  /** The FTS5 database with the corpus of a size. */
  database(size) {
    if (!this.#databases.has(size)) {
      this.progress(`building the FTS5 database of ${sizeName(size)}`)
      const path = this.path(`fts-${size}.db`)
      this.fts('build', { db: path, corpus: this.dataset(size).corpus })
      this.#databases.set(size, path)
    }
    return this.#databases.get(size)
  }

  fts(command, options) {
    return this.children.json(this.#reference('fts'), [command, ...asFlags(options)])
  }

  /** What the files of a capture cost, and nothing else. */
  files(command, options) {
    return this.children.json(this.#reference('files'), [command, ...asFlags(options)])
  }

  /**
   * All pairs of near texts of a corpus, found without the index of the package: a map from the later text to its near
   * earlier ones (`{ earlier, cosine }`), and by which method they were found.
   */
  nearPairs(size, texts = 'lessons') {
    return this.#once(this.#pairs, `${texts}-${size}`, () => {
      this.progress(`finding all near pairs of ${sizeName(size)} ${texts}`)
      const [pairs, flags] = [this.path(`pairs-${texts}-${size}.txt`), this.path(`flags-${texts}-${size}.txt`)]
      const options = { corpus: this.dataset(size, texts).corpus, pairs, flags }
      const { method } = this.children.json(this.#reference('duplicates'), asFlags(options))
      return { method, near: readPairs(pairs) }
    })
  }

  /** The reference programs are compiled when a measure wants one. */
  #reference(name) {
    this.#areBuilt ||= buildReferences()
    return join(REFERENCES, 'target', 'release', process.platform === 'win32' ? `${name}.exe` : name)
  }
}

function asFlags(options) {
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
}

/** Compiles the reference programs; the answer of a failed build is its own message. */
function buildReferences() {
  const args = ['build', '--release', '--locked', '--quiet']
  const { status, error } = spawnSync('cargo', args, { cwd: REFERENCES, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error('the reference programs do not build', { cause: error })
  return true
}

/** Installs what is measured against in Node, unless it is there. */
export function installReferences() {
  if (existsSync(join(REFERENCES, 'node_modules'))) return
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
  const shell = process.platform === 'win32'
  const { status, error } = spawnSync('npm', args, { cwd: REFERENCES, shell, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error('the references in Node cannot be installed', { cause: error })
}

/** The parts of the package that are missing because it is not built. */
export function missingParts() {
  return Object.entries({ addon: ADDON, cli: CLI })
    .filter(([, path]) => !existsSync(path))
    .map(([name]) => name)
}

/** The bytes of all files below a folder. */
export function folderBytes(dir) {
  let bytes = 0
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath ?? entry.path, entry.name)).size
  }
  return bytes
}
