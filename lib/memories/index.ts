/** Imports the memory files of other agents into the review inbox, once, with provenance. Their files are only read. */

import { join } from 'node:path'
import { SCOPES, type Scope, shownPath } from '../init/places.js'
import { captureMemory, type ProjectOptions } from '../native.js'
import { readConfinedText } from '../shared/confined.js'
import { sha256 } from '../shared/digest.js'
import { forgeHome } from '../shared/home.js'
import { writePrivateFile } from '../shared/private-file.js'
import { problem } from '../shared/problem.js'
import { readFiles, type Skipped } from './files.js'
import { type Item, itemsIn, ownItemsIn } from './items.js'
import { isOwnMemory, SOURCES, sourcesOf } from './sources.js'

export interface ImportMemoriesOptions {
  /** All agents when absent. */
  agents?: string[]
  /** Files of the project when absent. */
  scope?: Scope | 'all'
  dryRun?: boolean
}

/** A statement of an agent's file. */
export interface FoundItem extends Item {
  agent: string
  path: string
}

export interface ImportedMemories {
  items: FoundItem[]
  files: number
  /** Statements that are proposed now. */
  proposed: number
  /** Statements that the memory contained already. */
  duplicates: number
  /** Statements that an earlier import proposed, whatever was decided. */
  known: number
  redactions: number
  skipped: Skipped[]
  /** Stores of agents that cannot be read. */
  lacks: string[]
}

/** The session of all imports: the same text in the files of two agents is no independent confirmation. */
const SPEAKER = { author: 'import', session: 'import:memories', door: 'import', propose: true } as const

/** Imports the memories of agents. Throws `INVALID_INPUT` for an unknown agent, `IO` when the list of proposals cannot be written. */
export function importMemories(
  project: string,
  options: ProjectOptions,
  { agents = Object.keys(SOURCES), scope = 'project', dryRun = false }: ImportMemoriesOptions = {},
): ImportedMemories {
  const unknown = agents.find((agent) => !Object.hasOwn(SOURCES, agent))
  if (unknown !== undefined)
    throw problem('INVALID_INPUT', `agent: ${unknown} is not one of ${Object.keys(SOURCES).join(', ')}`)
  const seen = new Seen(project)
  const skipped: Skipped[] = []
  const files = filesOf(project, agents, scope, skipped)
  const all = files.flatMap(({ agent, path, text, isOwn }) =>
    (isOwn ? ownItemsIn(path, text) : itemsIn(text)).map((item) => ({ agent, path, ...item })),
  )
  const items = all.filter((item) => !seen.has(item.text) && seen.isFirst(item.text))
  const lacks = agents.flatMap((agent) => {
    const { title, lacks: text } = SOURCES[agent] ?? {}
    return text === undefined ? [] : [`${title}: ${text}`]
  })
  const counts = { proposed: 0, duplicates: 0, redactions: 0 }
  const report = { items, files: files.length, known: all.length - items.length, skipped, lacks }
  if (dryRun) return { ...report, ...counts }
  try {
    for (const item of items) propose(item, options, counts, seen)
  } finally {
    seen.save()
  }
  return { ...report, ...counts }
}

function propose(
  item: FoundItem,
  options: ProjectOptions,
  counts: { proposed: number; duplicates: number; redactions: number },
  seen: Seen,
): void {
  const { agent, path, line, type, text } = item
  const capture = { type, body: text, tool: 'import', source: `import/${agent}`, createdBy: `${agent}:${path}:${line}` }
  const outcome = captureMemory(capture, { ...options, ...SPEAKER })
  if (!outcome.captured && !outcome.deduped) {
    const { code, message } = outcome.tiers.files.error ?? { code: 'IO', message: 'the record could not be stored' }
    throw problem(code, message)
  }
  seen.add(text)
  counts.redactions += outcome.redactions
  if (outcome.deduped) counts.duplicates++
  else counts.proposed++
}

interface AgentFile {
  agent: string
  path: string
  text: string
  /** True for what the agent itself has noted about the project. */
  isOwn: boolean
}

/** Several agents may use one file, which is attributed to the first one. */
function filesOf(project: string, agents: string[], scope: Scope | 'all', skipped: Skipped[]): AgentFile[] {
  const found = new Map<string, AgentFile>()
  for (const each of scope === 'all' ? SCOPES : [scope]) {
    for (const agent of agents) {
      for (const source of sourcesOf(agent, each)) {
        for (const { path, text } of readFiles(project, source, skipped)) {
          const shown = shownPath(path)
          if (!found.has(shown)) found.set(shown, { agent, path: shown, text, isOwn: isOwnMemory(source) })
        }
      }
    }
  }
  return [...found.values()]
}

/** The hashes of proposed statements, so that rejected or forgotten ones are not proposed again. */
class Seen {
  private readonly path: string
  private readonly hashes: Set<string>
  private readonly now = new Set<string>()

  constructor(project: string) {
    this.path = `memories/${sha256(project).slice(0, 32)}.json`
    this.hashes = new Set(readHashes(this.path))
  }

  has(text: string): boolean {
    return this.hashes.has(keyOf(text))
  }

  /** Returns true if a text occurs for the first time in this run. */
  isFirst(text: string): boolean {
    const { size } = this.now
    return this.now.add(keyOf(text)).size > size
  }

  add(text: string): void {
    this.hashes.add(keyOf(text))
  }

  save(): void {
    if (this.hashes.size > 0) writePrivateFile(join(forgeHome(), this.path), JSON.stringify([...this.hashes]))
  }
}

function readHashes(path: string): string[] {
  try {
    const found: unknown = JSON.parse(readConfinedText(forgeHome(), path) ?? '[]')
    return Array.isArray(found) ? found.filter((each) => typeof each === 'string') : []
  } catch {
    // Without the list, the engine still detects duplicates of proposed, rejected and stored records.
    return []
  }
}

/** Normalises a statement: case, markup and white space do not matter. */
function keyOf(text: string): string {
  return sha256(
    text
      .toLowerCase()
      .replace(/[`*_\s]+/g, ' ')
      .trim(),
  ).slice(0, 24)
}
