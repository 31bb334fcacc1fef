// The older tool's cache of answers below `.forge/anvil/`, to look at and to clear, and the dead letters under its names. This package
// has no such cache: the code graph keeps its own, and nothing else is answered from memory.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { listDeadLetters, retryDeadLetters } from '../native.js'
import { removeConfined } from '../shared/confined.js'
import { problem } from '../shared/problem.js'
import { changedAt, entriesOf, readJson, readText } from './folder.js'
import { fieldsIn, textIn } from './soft.js'

const FOLDER = join('.forge', 'anvil')
/** What lies beside the answers of tools. */
const RESERVED = ['dlq']

interface Entry {
  tool: string
  path: string
  mtimeMs: number
}

function entriesIn(cwd: string): Entry[] {
  const tools = entriesOf(cwd, FOLDER).filter((entry) => entry.isDirectory() && !RESERVED.includes(entry.name))
  return tools.flatMap(({ name: tool }) =>
    entriesOf(cwd, FOLDER, tool)
      .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
      .map(({ name }) => ({ tool, path: join(FOLDER, tool, name), mtimeMs: changedAt(cwd, FOLDER, tool, name) })),
  )
}

export interface AnvilStat {
  entries: number
  totalBytes: number
  oldestMtime: number | null
  perTool: Record<string, { hits: number; misses: number; count: number }>
}

/** Counts the answers that are kept. */
export function anvilStat(cwd: string): AnvilStat {
  const entries = entriesIn(cwd)
  const counted = fieldsIn(fieldsIn(readJson(cwd, FOLDER, 'stats.json')).perTool)
  const names = new Set([...entries.map(({ tool }) => tool), ...Object.keys(counted)])
  const perTool = [...names].sort().map((tool) => {
    const { hits, misses } = fieldsIn(counted[tool])
    const count = entries.filter((entry) => entry.tool === tool).length
    return [tool, { hits: Number(hits) || 0, misses: Number(misses) || 0, count }] as const
  })
  return {
    entries: entries.length,
    totalBytes: entries.reduce((sum, { path }) => sum + Buffer.byteLength(readText(cwd, path) ?? ''), 0),
    oldestMtime: entries.length === 0 ? null : Math.min(...entries.map(({ mtimeMs }) => mtimeMs)),
    perTool: Object.fromEntries(perTool),
  }
}

/** Deletes answers of a tool, answers of an age, or both. Throws `ERR_ANVIL_NO_FILTER` without either. */
export function anvilClear(
  cwd: string,
  { tool, olderThanMs }: { tool?: string | undefined; olderThanMs?: number | undefined },
): { deleted: number } {
  if (tool === undefined && olderThanMs === undefined) {
    throw problem('ERR_ANVIL_NO_FILTER', 'expected a tool or an age', 'name tool, olderThanMs or both')
  }
  // A name is compared, never opened.
  const isMeant = (entry: Entry) =>
    (tool === undefined || entry.tool === tool) &&
    (olderThanMs === undefined || Date.now() - entry.mtimeMs >= olderThanMs)
  return { deleted: removeAll(cwd, entriesIn(cwd).filter(isMeant)) }
}

function removeAll(cwd: string, entries: Entry[]): number {
  for (const { path } of entries) removeConfined(cwd, path)
  return entries.length
}

/** Deletes answers about files that have changed since a revision. Without git nothing is deleted. */
export function anvilRebuild(cwd: string, since: string): { invalidated: number; changedFiles: number } {
  const changed = changedSince(cwd, since)
  const isAbout = ({ path }: Entry) => {
    const seed = textIn(fieldsIn(readJson(cwd, path)).codeHashSeed) ?? ''
    return changed.some((file) => seed === file || seed.startsWith(`${file}:`))
  }
  return { invalidated: removeAll(cwd, entriesIn(cwd).filter(isAbout)), changedFiles: changed.length }
}

function changedSince(cwd: string, since: string): string[] {
  // What begins with a dash would be an option of git.
  if (!/^[\w@][\w@{}~^./-]*$/.test(since)) {
    throw problem('INVALID_INPUT', 'since: expected a revision of git', 'name a commit, a tag or a branch')
  }
  try {
    const options = {
      cwd,
      encoding: 'utf8' as const,
      stdio: ['ignore', 'pipe', 'ignore'] as ['ignore', 'pipe', 'ignore'],
    }
    const out = execFileSync('git', ['diff', '--name-only', '-z', `${since}`, 'HEAD', '--'], options)
    return out.split('\0').filter((name) => name !== '')
  } catch {
    return []
  }
}

export interface DeadLetterItem {
  id: string
  toolName: string | null
  inputs: object
  error: string
  failedAt: string | null
}

/** Lists what could not be delivered, the oldest first. */
export function anvilDlqList(cwd: string, limit?: number): { items: DeadLetterItem[]; total: number } {
  const letters = listDeadLetters({ projectDir: cwd }).sort((a, b) =>
    (a.failedAt ?? '') < (b.failedAt ?? '') ? -1 : 1,
  )
  const items = letters.map(({ id, type, content, project, reason, failedAt }) => {
    return { id, toolName: null, inputs: { type, content, project }, error: reason, failedAt: failedAt ?? null }
  })
  return { items: items.slice(0, limit), total: items.length }
}

/** Has dead letters delivered again. Nothing is deleted. */
export function anvilDlqDrain(cwd: string, id?: string): { drained: number; unknown: string[] } {
  const { retried, unknown } = retryDeadLetters(id === undefined ? null : [id], { projectDir: cwd })
  return { drained: retried, unknown }
}
