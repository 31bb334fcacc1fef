// What the memory knows about which part of the project: the files that its records name, among those of the code graph.
import { statSync } from 'node:fs'
import { latticeQuery, latticeStat, type RecallHit, showMemory } from '../native.js'
import { resolveConfined } from '../shared/confined.js'
import { given } from '../shared/given.js'
import { attempt } from '../shared/problem.js'
import { get, type Route } from './router.js'
import type { Scan } from './scan.js'
import type { MapFile, MemoryMap } from './shapes.js'

/** More files than this cannot be told apart on a screen. */
const FILES_MAX = 400
const LESSONS_MAX = 100
/** The code graph tells no more files of a language at once. */
const OF_A_LANGUAGE = 1000

export function mapRoutes(projectDir: string, scan: () => Promise<Scan>): Route[] {
  return [
    get('/api/memory/map', async (query) => {
      query.only()
      return answerMap(await scan(), projectDir)
    }),
    get('/api/memory/map/lessons', async (query) => {
      const path = query.only('path').text('path') ?? ''
      const ids = (await scan()).places.get(path)?.ids ?? []
      return { path, total: ids.length, entries: ids.slice(0, LESSONS_MAX).flatMap((id) => entryOf(id, projectDir)) }
    }),
  ]
}

function answerMap({ places, records, located }: Scan, projectDir: string): MemoryMap {
  const sorted = [...places].sort(([x, a], [y, b]) => b.ids.length - a.ids.length || (x < y ? -1 : 1))
  const named = sorted.slice(0, FILES_MAX).map(([path, { ids, gotchas, newest }]): MapFile => {
    return { path, memories: ids.length, gotchas, newest, ...given({ bytes: sizeOf(path, projectDir) }) }
  })
  const { files, total } = filesInGraph(projectDir)
  const others = files.filter(({ path }) => !places.has(path))
  const all = places.size + total - (files.length - others.length)
  return { records, located, more: Math.max(0, all - FILES_MAX), files: [...named, ...others].slice(0, FILES_MAX) }
}

/** The files of the code graph, the largest first, with the number of all; none without one. */
function filesInGraph(projectDir: string): { files: MapFile[]; total: number } {
  const { languages, filesIndexed: total } = latticeStat({ projectDir })
  const chunks = Object.keys(languages).flatMap(
    (language) => latticeQuery({ projectDir, kind: 'file', language, limit: OF_A_LANGUAGE }).chunks,
  )
  const files = chunks.map(({ filePath: path, endByte: bytes }) => ({ path, memories: 0, gotchas: 0, bytes }))
  return { files: files.sort((a, b) => b.bytes - a.bytes), total }
}

/** The size of a file of the project; undefined when it is gone. */
function sizeOf(path: string, projectDir: string): number | undefined {
  return attempt(() => statSync(resolveConfined(projectDir, path)).size)
}

function entryOf(id: string, projectDir: string): RecallHit[] {
  // It was forgotten in the meantime.
  return attempt(() => [showMemory(id, { projectDir }).entry]) ?? []
}
