// Plan Forge caches tool results below `.forge/anvil/`. These functions inspect and clear that cache, and list dead
// letters under Plan Forge's names. This package writes no such cache: the code graph has its own, and no other result
// is cached.
import { join } from 'node:path'
import { listDeadLetters, retryDeadLetters } from '../native.js'
import { removeConfined } from '../shared/confined.js'
import { runGit } from '../shared/git.js'
import { problem } from '../shared/problem.js'
import { setAsideIn } from './drain.js'
import { changedAt, entriesOf, planForgeRecords, readJson, readRecords, readText } from './folder.js'
import { countIn, type Fields, fieldsIn, textIn } from './soft.js'

const FOLDER = join('.forge', 'anvil')
const LETTERS = 'openbrain-dlq.jsonl'
/** Folders below `.forge/anvil/` that hold no cached results. */
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

/** Counts the cached results. */
export function anvilStat(cwd: string): AnvilStat {
  const entries = entriesIn(cwd)
  const counted = fieldsIn(fieldsIn(readJson(cwd, FOLDER, 'stats.json')).perTool)
  const names = new Set([...entries.map(({ tool }) => tool), ...Object.keys(counted)])
  const perTool = [...names].sort().map((tool) => {
    const { hits, misses } = fieldsIn(counted[tool])
    const count = entries.filter((entry) => entry.tool === tool).length
    return [tool, { hits: countIn(hits), misses: countIn(misses), count }] as const
  })
  return {
    entries: entries.length,
    totalBytes: entries.reduce((sum, { path }) => sum + Buffer.byteLength(readText(cwd, path) ?? ''), 0),
    oldestMtime: entries.length === 0 ? null : Math.min(...entries.map(({ mtimeMs }) => mtimeMs)),
    perTool: Object.fromEntries(perTool),
  }
}

/** Deletes cached results by tool, by age, or by both. Throws `ERR_ANVIL_NO_FILTER` when neither is given. */
export function anvilClear(
  cwd: string,
  { tool, olderThanMs }: { tool?: string | undefined; olderThanMs?: number | undefined },
): { deleted: number } {
  if (tool === undefined && olderThanMs === undefined) {
    throw problem('ERR_ANVIL_NO_FILTER', 'expected a tool or an age', 'name a tool, an age or both')
  }
  // The tool name is only compared, never used as a path, so it cannot escape the folder.
  const isMeant = (entry: Entry) =>
    (tool === undefined || entry.tool === tool) &&
    (olderThanMs === undefined || Date.now() - entry.mtimeMs >= olderThanMs)
  return { deleted: removeAll(cwd, entriesIn(cwd).filter(isMeant)) }
}

function removeAll(cwd: string, entries: Entry[]): number {
  for (const { path } of entries) removeConfined(cwd, path)
  return entries.length
}

/** Deletes cached results for files that changed since a revision. Deletes nothing when git fails. */
export async function anvilRebuild(cwd: string, since: string): Promise<{ invalidated: number; changedFiles: number }> {
  const changed = await changedSince(cwd, since)
  const isAbout = ({ path }: Entry) => {
    const seed = textIn(fieldsIn(readJson(cwd, path)).codeHashSeed) ?? ''
    return changed.some((file) => seed === file || seed.startsWith(`${file}:`))
  }
  return { invalidated: removeAll(cwd, entriesIn(cwd).filter(isAbout)), changedFiles: changed.length }
}

async function changedSince(cwd: string, since: string): Promise<string[]> {
  // git would parse an argument that begins with a dash as an option.
  if (!/^[\w@][\w@{}~^./-]*$/.test(since)) {
    throw problem('INVALID_INPUT', 'since: expected a revision of git', 'name a commit, a tag or a branch')
  }
  try {
    const out = await runGit(cwd, ['diff', '--name-only', '--no-ext-diff', '-z', since, 'HEAD', '--'])
    return out
      .toString()
      .split('\0')
      .filter((name) => name !== '')
  } catch {
    return []
  }
}

export interface DeadLetterItem {
  /** Null when the letter was written by Plan Forge without an id. */
  id: string | null
  toolName: string | null
  inputs: unknown
  error: string | null
  failedAt: string | null
}

interface LetterFilter {
  tool?: string | undefined
  limit?: number | undefined
}

/** The number of records that this machine did not write, and a hint on how to approve them. */
type SetAside = ReturnType<typeof setAsideIn>

/** Lists records that could not be delivered, oldest first, including those that Plan Forge gave up on or set aside. */
export function anvilDlqList(
  cwd: string,
  { tool, limit }: LetterFilter = {},
): { items: DeadLetterItem[]; total: number } & SetAside {
  const all = [...lettersIn(cwd), ...olderLettersIn(cwd)].filter((item) => tool === undefined || item.toolName === tool)
  all.sort((a, b) => ((a.failedAt ?? '') < (b.failedAt ?? '') ? -1 : 1))
  return { items: all.slice(0, limit), total: all.length, ...setAsideIn(cwd) }
}

/** Uses the `source` of the record as the tool name. */
function lettersIn(cwd: string): DeadLetterItem[] {
  const planForge = planForgeRecords(cwd, LETTERS).map((record) => letterOf(record, textIn(record._lastError) ?? null))
  const records = new Map(readRecords(cwd, '.forge', LETTERS).map((record) => [record.id, record]))
  const own = listDeadLetters({ projectDir: cwd }).map(({ reason, failedAt, ...letter }) =>
    letterOf({ ...records.get(letter.id), ...letter, _failedAt: failedAt }, reason),
  )
  return [...own, ...planForge]
}

function letterOf({ id, type, content, project, source, _failedAt }: Fields, error: string | null): DeadLetterItem {
  const toolName = textIn(source)?.split('/')[0] ?? null
  return {
    id: textIn(id) ?? null,
    toolName,
    inputs: { type, content, project },
    error,
    failedAt: textIn(_failedAt) ?? null,
  }
}

function olderLettersIn(cwd: string): DeadLetterItem[] {
  const files = entriesOf(cwd, FOLDER, 'dlq').filter(({ name }) => name.endsWith('.json'))
  return files.map(({ name }) => {
    const { toolName, inputs = null, error, failedAt } = fieldsIn(readJson(cwd, FOLDER, 'dlq', name))
    const letter = {
      toolName: textIn(toolName) ?? null,
      error: textIn(error) ?? null,
      failedAt: textIn(failedAt) ?? null,
    }
    return { id: name.slice(0, -'.json'.length), inputs, ...letter }
  })
}

/** Retries dead letters: the one with an id, those of a tool, or all. Deletes nothing. */
export function anvilDlqDrain(
  cwd: string,
  { id, tool }: { id?: string | undefined; tool?: string | undefined } = {},
): { drained: number; unknown: string[] } & SetAside {
  const isMeant = ({ id: own, toolName }: DeadLetterItem) => (own !== null && toolName === tool ? [own] : [])
  const ofTool = () => lettersIn(cwd).flatMap(isMeant)
  const ids = id !== undefined ? [id] : tool !== undefined ? ofTool() : null
  const { retried, unknown } = retryDeadLetters(ids, { projectDir: cwd })
  return { drained: retried, unknown, ...setAsideIn(cwd) }
}
