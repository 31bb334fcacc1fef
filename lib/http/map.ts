// What the memory knows about which part of the project: the files that its records name.
import { statSync } from 'node:fs'
import type { Hub } from '../hub/hub.js'
import { listMemories, type RecallHit, showMemory } from '../native.js'
import { resolveConfined } from '../shared/confined.js'
import { given } from '../shared/given.js'
import { get, type Route } from './router.js'
import type { MapFile, MemoryMap } from './shapes.js'

const PAGE = 1000
/** More files than this cannot be told apart on a screen. */
const FILES_MAX = 400
const LESSONS_MAX = 100
/** As much of a text as is searched for paths. */
const READ = 4000
/** Paths in one text; a list of files is about none of them. */
const PATHS_MAX = 8

/** A path with a folder and an extension; not one of an address, of the user or of the machine. */
const PATHS = /(?<![\w/:.@~-])(?:[\w@-][\w.@-]*\/)+[\w@.-]*\.[a-z]\w{0,7}(?![\w/])/gi
const FILE = /^[\w@.-]+\.[a-z]\w{0,7}$/i

interface Place {
  ids: string[]
  gotchas: number
  newest: string
}

/** The files that all records name. Read anew when the memory has changed. */
interface Known {
  seq: number
  files: Map<string, Place>
  records: number
  located: number
}

export function mapRoutes(projectDir: string, hub: Hub): Route[] {
  let known: Promise<Known> | undefined
  let seq = -1
  const read = (): Promise<Known> => {
    if (known === undefined || seq !== hub.seq) {
      seq = hub.seq
      known = readPlaces(projectDir, seq)
      known.catch(() => {
        known = undefined
      })
    }
    return known
  }
  return [
    get('/api/memory/map', async (query) => {
      query.only()
      return answerMap(await read(), projectDir)
    }),
    get('/api/memory/map/lessons', async (query) => {
      const path = query.only('path').text('path') ?? ''
      const ids = (await read()).files.get(path)?.ids ?? []
      return { path, total: ids.length, entries: ids.slice(0, LESSONS_MAX).flatMap((id) => entryOf(id, projectDir)) }
    }),
  ]
}

async function readPlaces(projectDir: string, seq: number): Promise<Known> {
  const known: Known = { seq, files: new Map(), records: 0, located: 0 }
  for (;;) {
    const { entries, total } = listMemories({ projectDir, limit: PAGE, offset: known.records })
    for (const hit of entries) addTo(known, hit)
    if (entries.length === 0 || known.records >= total) return known
    // Other requests are answered in between.
    await new Promise(setImmediate)
  }
}

/** Records come newest first: the first one of a file is its newest. */
function addTo(known: Known, { id, text, type, createdAt, sourceFile }: RecallHit): void {
  known.records += 1
  const paths = pathsIn(text, sourceFile)
  if (paths.size > 0) known.located += 1
  for (const path of paths) {
    const place = known.files.get(path) ?? { ids: [], gotchas: 0, newest: createdAt }
    place.ids.push(id)
    if (type === 'gotcha') place.gotchas += 1
    known.files.set(path, place)
  }
}

function pathsIn(text: string, sourceFile: string | undefined): Set<string> {
  const named = text.slice(0, READ).match(PATHS) ?? []
  const all = new Set(named.map((path) => path.replace(/^\.\//, '')))
  if (all.size > PATHS_MAX) all.clear()
  if (sourceFile !== undefined && (sourceFile.includes('/') || FILE.test(sourceFile))) all.add(sourceFile)
  return all
}

function answerMap({ files, records, located }: Known, projectDir: string): MemoryMap {
  const sorted = [...files].sort(([x, a], [y, b]) => b.ids.length - a.ids.length || (x < y ? -1 : 1))
  return {
    records,
    located,
    more: Math.max(0, sorted.length - FILES_MAX),
    files: sorted.slice(0, FILES_MAX).map(([path, { ids, gotchas, newest }]): MapFile => {
      return { path, memories: ids.length, gotchas, newest, ...given({ bytes: sizeOf(path, projectDir) }) }
    }),
  }
}

/** The size of a file of the project; undefined when it is gone. */
function sizeOf(path: string, projectDir: string): number | undefined {
  try {
    return statSync(resolveConfined(projectDir, path)).size
  } catch {
    return undefined
  }
}

function entryOf(id: string, projectDir: string): RecallHit[] {
  try {
    return [showMemory(id, { projectDir }).entry]
  } catch {
    // It was forgotten in the meantime.
    return []
  }
}
