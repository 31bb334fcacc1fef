// The file in which the older tool keeps the words of its thoughts, `.forge/local-recall-index.json`. Searches do without it; it is
// written on demand only, for programs that read it.
import { join } from 'node:path'
import { removeConfined, writeConfined } from '../shared/confined.js'
import { changedAt, entriesOf, parseJson, readText } from './folder.js'
import { THOUGHT_SOURCES, textOf } from './local-thoughts.js'
import { tokenize } from './similarity.js'
import { fieldsIn, listIn, softly } from './soft.js'
import { buildIdf } from './tf-idf.js'

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

/** Counts the words of thoughts. */
export function buildCorpusIndex(thoughts: unknown[]): CorpusIndex {
  const bags = listIn(thoughts).map((thought) => tokenize(textOf(thought)))
  return { tokenMaps: bags.map((bag) => [...bag]), idf: [...buildIdf(bags)] }
}

function timesOf(cwd: string, sources: string[]): Record<string, number> {
  return Object.fromEntries(sources.map((source) => [source, changedAt(cwd, '.forge', source)]))
}

/** Writes an index. A project without `.forge`, or one that cannot be written, goes without. */
export function persistIndex(
  cwd: string,
  index: CorpusIndex,
  { sources = THOUGHT_SOURCES, corpusSize = index.tokenMaps.length }: { sources?: string[]; corpusSize?: number } = {},
): void {
  if (!entriesOf(cwd).some(({ name }) => name === '.forge')) return
  const known = sources.filter((source) => THOUGHT_SOURCES.includes(source))
  const file = { version: VERSION, builtAt: Date.now(), corpusSize, sourceMtimes: timesOf(cwd, known), index }
  softly(
    () => writeConfined(cwd, FILE, JSON.stringify(file)),
    () => undefined,
  )
}

/** Reads the index; null when there is none of exactly these files as they are now. */
export function loadCachedIndex(
  cwd: string,
  { sources = THOUGHT_SOURCES }: { sources?: string[] } = {},
): LoadedIndex | null {
  const { version, sourceMtimes, index } = fieldsIn(parseJson(readText(cwd, FILE) ?? ''))
  if (version !== VERSION || !isOf(cwd, fieldsIn(sourceMtimes), sources)) return null
  const { tokenMaps, idf } = fieldsIn(index)
  const loaded = () => ({
    tokenMaps: listIn<Weights>(tokenMaps).map((bag) => new Map(bag)),
    idf: new Map(listIn(idf) as Weights),
  })
  return softly<LoadedIndex | null>(loaded, () => null)
}

function isOf(cwd: string, times: Record<string, unknown>, sources: string[]): boolean {
  const now = timesOf(cwd, sources)
  return Object.keys(times).length === sources.length && sources.every((source) => times[source] === now[source])
}

export function clearPersistedIndex(cwd: string = process.cwd()): void {
  softly(
    () => removeConfined(cwd, FILE),
    () => undefined,
  )
}

export interface IndexStatus {
  exists: boolean
  version: number | null
  builtAt: string | null
  corpusSize: number | null
  stale: boolean | null
  cacheFile: string
}

/** Tells about the index file. */
export function getIndexStatus(cwd: string = process.cwd()): IndexStatus {
  const cacheFile = join(cwd, FILE)
  const unknown = { version: null, builtAt: null, corpusSize: null, stale: null, cacheFile }
  const text = readText(cwd, FILE)
  if (text === undefined) return { exists: false, ...unknown }
  const { version, builtAt, corpusSize, sourceMtimes } = fieldsIn(parseJson(text))
  if (typeof version !== 'number' || typeof builtAt !== 'number') return { exists: true, ...unknown }
  return {
    exists: true,
    version,
    builtAt: new Date(builtAt).toISOString(),
    corpusSize: typeof corpusSize === 'number' ? corpusSize : null,
    stale: !isOf(cwd, fieldsIn(sourceMtimes), Object.keys(fieldsIn(sourceMtimes))),
    cacheFile,
  }
}
