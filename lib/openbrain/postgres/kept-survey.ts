// What the last process learnt of a database, so that the first search of the next one need not ask before it searches: it asks beside, and
// searches again when the answer is another one.
import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import { sha256 } from '../../shared/digest.js'
import { forgeHome } from '../../shared/home.js'
import { OTHERS_WRITE, readPrivateFile, writePrivateMap } from '../../shared/private-file.js'
import type { SpaceRow } from './schema.js'
import type { Survey } from './survey.js'
import { VERSION } from './tables.js'

/** How many databases are kept; the one that was written first goes first. */
const KEPT_MAX = 16

type Kept = Omit<Survey, 'pid'>

const path = () => join(forgeHome(), 'store-surveys.json')

function nameOf({ host, port, database, user }: ClientConfig): string {
  return sha256(JSON.stringify([host, port, database, user])).slice(0, 32)
}

function readAll(): Map<string, unknown> {
  try {
    const kept: unknown = JSON.parse(readPrivateFile(path(), OTHERS_WRITE) ?? '{}')
    return new Map(Object.entries(kept as object))
  } catch {
    return new Map()
  }
}

/** Returns what is kept of a database; undefined when there is nothing, or nothing that can be used. */
export function keptSurvey(connection: ClientConfig): Survey | undefined {
  const kept = readAll().get(nameOf(connection)) as Partial<Kept> | undefined
  const { version, vector, spaces, isRowSecured = false } = kept ?? {}
  if (version !== VERSION || !areSpaces(spaces) || !(vector === undefined || isVersion(vector))) return undefined
  return {
    version,
    vector,
    spaces,
    isReplica: kept?.isReplica === true,
    mayWrite: kept?.mayWrite === true,
    isRowSecured: isRowSecured === true,
    pid: 0,
  }
}

const isVersion = (value: unknown) => Array.isArray(value) && value.length === 2 && value.every(Number.isInteger)

function areSpaces(value: unknown): value is SpaceRow[] {
  const isSpace = ({ id, model, dimensions }: Partial<SpaceRow>) =>
    Number.isInteger(id) && typeof model === 'string' && Number.isInteger(dimensions)
  return Array.isArray(value) && value.every((space) => typeof space === 'object' && space !== null && isSpace(space))
}

/** Keeps what was learnt of a database, unless it is kept. Without it, the next process asks first. */
export function keepSurvey(connection: ClientConfig, { pid: _pid, ...survey }: Survey): void {
  if (survey.version === 0) return
  const all = readAll()
  const name = nameOf(connection)
  if (JSON.stringify(all.get(name)) === JSON.stringify(survey)) return
  all.delete(name)
  try {
    writePrivateMap(path(), new Map([...all, [name, survey]].slice(-KEPT_MAX) as [string, unknown][]))
  } catch {
    // The home may be full, or not writable.
  }
}

/** What is so of most databases, as far as a search by words has to know it. */
export const USUAL: Survey = {
  version: VERSION,
  vector: undefined,
  spaces: [],
  isReplica: false,
  mayWrite: true,
  isRowSecured: false,
  pid: 0,
}

/** True if a search that was made for one is also right for the other. */
export function isSameFor(a: Survey, b: Survey, isByMeaning: boolean): boolean {
  const isSame = a.version === b.version && a.isRowSecured === b.isRowSecured
  return isSame && (!isByMeaning || JSON.stringify([a.vector, a.spaces]) === JSON.stringify([b.vector, b.spaces]))
}
