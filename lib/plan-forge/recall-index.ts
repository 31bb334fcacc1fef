// Plan Forge's index of terms, `.forge/local-recall-index.json`. Searches here do not use it, and keep it for programs that read it.
import { join } from 'node:path'
import { removeConfined, writeConfined } from '../shared/confined.js'
import { parsedJson } from '../shared/json.js'
import { changedAt, entriesOf, readText } from './folder.js'
import { THOUGHT_SOURCES, textOf } from './local-thoughts.js'
import { buildIdf, tokenize } from './similarity.js'
import { countIn, fieldsIn, listIn, optionsIn, softly, textIn } from './soft.js'

const VERSION = 1
const FILE = join('.forge', 'local-recall-index.json')

type Weights = [string, number][]

export interface CorpusIndex {
  tokenMaps: Weights[]
  idf: Weights
}

export interface LoadedIndex {
  tokenMaps: Map<string, number>[]
  idf: Map<string, number>
}

/** Counts the terms of thoughts. */
export function buildCorpusIndex(thoughts: unknown[]): CorpusIndex {
  const bags = listIn(thoughts).map((thought) => tokenize(textOf(thought)))
  return { tokenMaps: bags.map((bag) => [...bag]), idf: [...buildIdf(bags)] }
}

function timesOf(cwd: string, sources: string[]): Record<string, number> {
  return Object.fromEntries(sources.map((source) => [source, changedAt(cwd, '.forge', source)]))
}

/** Writes an index. Does nothing when the project has no `.forge` or is read-only. */
export function persistIndex(
  cwd: string,
  index: CorpusIndex,
  options: { sources?: string[]; corpusSize?: number } = {},
): void {
  const { sources = THOUGHT_SOURCES, corpusSize = listIn(fieldsIn(index).tokenMaps).length } = optionsIn(options)
  if (!entriesOf(cwd).some(({ name }) => name === '.forge')) return
  const known = listIn<string>(sources).filter((source) => THOUGHT_SOURCES.includes(source))
  const file = { version: VERSION, builtAt: Date.now(), corpusSize, sourceMtimes: timesOf(cwd, known), index }
  softly(() => writeConfined(cwd, FILE, JSON.stringify(file)), undefined)
}

/** Loads the index; null unless it was built from exactly these files in their current state. */
export function loadCachedIndex(cwd: string, options: { sources?: string[] } = {}): LoadedIndex | null {
  const sources = listIn<string>(optionsIn(options).sources ?? THOUGHT_SOURCES)
  const { version, builtAt, sourceMtimes, index } = fieldsIn(parsedJson(readText(cwd, FILE) ?? ''))
  if (version !== VERSION || !isOf(cwd, fieldsIn(sourceMtimes), sources, builtAt)) return null
  const { tokenMaps, idf } = fieldsIn(index)
  const loaded = () => ({
    tokenMaps: listIn<Weights>(tokenMaps).map((bag) => new Map(bag)),
    idf: new Map(listIn(idf) as Weights),
  })
  return softly<LoadedIndex | null>(loaded, () => null)
}

/** True if an index was built of these files as they are now, and after they were written. */
function isOf(cwd: string, times: Record<string, unknown>, sources: string[], builtAt: unknown): boolean {
  const now = timesOf(cwd, sources)
  const isOfFile = (source: string) => times[source] === now[source] && Math.floor(now[source] ?? 0) <= countIn(builtAt)
  return Object.keys(times).length === sources.length && sources.every(isOfFile)
}

/** Writes the index of thoughts, unless there is one of the files as they are now. */
export function keepIndex(cwd: string, thoughts: unknown[]): void {
  if (thoughts.length > 0 && loadCachedIndex(cwd) === null) persistIndex(cwd, buildCorpusIndex(thoughts))
}

export function clearPersistedIndex(cwd: string = process.cwd()): void {
  softly(() => removeConfined(cwd, FILE), undefined)
}

export interface IndexStatus {
  exists: boolean
  version: number | null
  builtAt: string | null
  corpusSize: number | null
  stale: boolean | null
  cacheFile: string
}

/** Returns the status of the index file. */
export function getIndexStatus(cwd: string = process.cwd()): IndexStatus {
  const cacheFile = join(textIn(cwd) ?? '', FILE)
  const unknown = { version: null, builtAt: null, corpusSize: null, stale: null, cacheFile }
  const text = readText(cwd, FILE)
  if (text === undefined) return { exists: false, ...unknown }
  const { version, builtAt, corpusSize, sourceMtimes } = fieldsIn(parsedJson(text))
  if (typeof version !== 'number' || typeof builtAt !== 'number') return { exists: true, ...unknown }
  return {
    exists: true,
    version,
    builtAt: new Date(builtAt).toISOString(),
    corpusSize: typeof corpusSize === 'number' ? corpusSize : null,
    stale: !isOf(cwd, fieldsIn(sourceMtimes), Object.keys(fieldsIn(sourceMtimes)), builtAt),
    cacheFile,
  }
}
