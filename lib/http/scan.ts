// What only a look at every memory tells: which expire soon, and which files they name.
import type { Hub } from '../hub/hub.js'
import type { RecallHit } from '../native.js'
import { eachMemory, isExpiringSoon } from '../shared/expiring.js'

/** As much of a text as is searched for paths. */
const READ = 4000
/** A text with more paths than this is a list of files, and about none of them. */
const PATHS_MAX = 8
/** A look that takes longer than this is not repeated with every change, but so that it takes a twentieth of the time. */
const QUICK_MS = 100
const REST = 20
/** What expires soon becomes more as time passes. */
const KEPT_MS = 3_600_000

/** A path with a folder and an extension; not one of an address, of the user or of the machine. */
const PATHS = /(?<![\w/:.@~-])(?:[\w@-][\w.@-]*\/)+[\w@.-]*\.[a-z]\w{0,7}(?![\w/])/gi

/** The memories that name a file, the newest first. */
export interface Place {
  ids: string[]
  gotchas: number
  newest: string
}

export interface Scan {
  records: number
  /** The number of memories that name a file. */
  located: number
  places: Map<string, Place>
  expiring: RecallHit[]
}

/** Returns a function that looks at every memory, once for each state of the memory. */
export function scanner(projectDir: string, hub: Hub): () => Promise<Scan> {
  let last: { scan: Promise<Scan>; seq: number; began: number; until: number } | undefined
  return () => {
    const began = Date.now()
    const isSame = last?.seq === hub.seq && began - last.began < KEPT_MS
    if (last && (isSame || began < last.until)) return last.scan
    // Whoever asks while it looks gets the same.
    const current = { scan: look(projectDir), seq: hub.seq, began, until: Number.POSITIVE_INFINITY }
    last = current
    const rest = (): void => {
      const took = Date.now() - began
      current.until = took < QUICK_MS ? 0 : Date.now() + took * REST
    }
    current.scan.then(rest, () => {
      last = undefined
    })
    return current.scan
  }
}

async function look(projectDir: string): Promise<Scan> {
  const scan: Scan = { records: 0, located: 0, places: new Map(), expiring: [] }
  await eachMemory({ projectDir }, (hit) => addTo(scan, hit))
  return scan
}

function addTo(scan: Scan, hit: RecallHit): void {
  scan.records += 1
  if (isExpiringSoon(hit)) scan.expiring.push(hit)
  const paths = pathsIn(hit)
  if (paths.size > 0) scan.located += 1
  for (const path of paths) {
    const place = scan.places.get(path) ?? { ids: [], gotchas: 0, newest: hit.createdAt }
    place.ids.push(hit.id)
    if (hit.type === 'gotcha') place.gotchas += 1
    scan.places.set(path, place)
  }
}

function pathsIn({ text, sourceFile }: RecallHit): Set<string> {
  const all = new Set(text.slice(0, READ).match(PATHS) ?? [])
  if (all.size > PATHS_MAX) all.clear()
  if (sourceFile !== undefined) all.add(sourceFile)
  return all
}
