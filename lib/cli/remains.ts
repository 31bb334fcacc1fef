// Where the text of forgotten memories still is: git keeps what was committed, and other work trees have files of their own.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { memoryDir, type ProjectOptions } from '../native.js'
import { runGit } from '../shared/git.js'
import { counted, oneLine } from '../text/printable.js'

/** The places beyond the files of this memory, from which `compact` removes it. */
export interface Remains {
  /** Short hashes of the commits that have brought it or taken it away, the newest first. */
  commits: string[]
  /** The branches and tags with such a commit. */
  branches: string[]
  /** The folders of other work trees whose files have it. */
  worktrees: string[]
  /** Why git could not be asked, if it could not. */
  problem?: string
}

const COMMITS_SHOWN = 5
const PATIENCE_MS = 10_000

/** Asks git; a folder outside of git has nothing. Never rejects. */
export async function remainsOf(ids: string[], project: ProjectOptions): Promise<Remains> {
  const remains: Remains = { commits: [], branches: [], worktrees: [] }
  const named = ids.filter((id) => /^[\w-]+$/.test(id))
  const folder = memoryDir(project)
  const git = async (...args: string[]) =>
    (await runGit(folder, args, AbortSignal.timeout(PATIENCE_MS))).toString('utf8').split('\n').filter(Boolean)
  const top = await git('rev-parse', '--show-toplevel').catch(() => [])
  if (top[0] === undefined || named.length === 0) return remains
  try {
    const search = ['--pickaxe-regex', `-S"(${named.join('|')})"`]
    remains.commits = await git('log', '--all', '--format=%h', ...search, '--', '.forge')
    const contains = remains.commits.slice(0, 100).map((commit) => `--contains=${commit}`)
    if (contains.length > 0) remains.branches = await git('for-each-ref', '--format=%(refname:short)', ...contains)
    const below = relative(top[0], folder)
    const trees = (await git('worktree', 'list', '--porcelain')).filter((line) => line.startsWith('worktree '))
    const others = trees.map((line) => line.slice('worktree '.length)).filter((tree) => tree !== top[0])
    remains.worktrees = others.filter((tree) => hasRecord(join(tree, below, '.forge'), named))
  } catch (error) {
    remains.problem = (error as Error).message.split('\n')[0] ?? ''
  }
  return remains
}

/** True if a file of a memory has the text of a record: the lines that forget it have none. */
function hasRecord(forge: string, ids: string[]): boolean {
  const isOf = (line: string) => /"(content|pattern)":/.test(line) && ids.some((id) => line.includes(`"${id}"`))
  try {
    const files = readdirSync(forge).filter((name) => name.endsWith('.jsonl'))
    return files.some((name) => readFileSync(join(forge, name), 'utf8').split('\n').some(isOf))
  } catch {
    // It has no memory of its own.
    return false
  }
}

/** Says where the text still is, and which command removes it. */
export function remainsText({ commits, branches, worktrees, problem }: Remains): string[] {
  if (commits.length + worktrees.length === 0 && problem === undefined) return []
  const lines = ['The text is in the files of this memory until forge-memory compact.']
  if (commits.length > 0) {
    const shown = commits.slice(0, COMMITS_SHOWN).join(', ')
    const more = commits.length > COMMITS_SHOWN ? ', ...' : ''
    lines.push(
      `It stays in ${counted(commits.length, 'commit')} (${shown}${more}), on ${branches.map(oneLine).join(', ')}: ` +
        'git filter-repo --replace-text FILE removes it there, with the text in FILE; push by force, and clone it again elsewhere.',
    )
  }
  for (const tree of worktrees)
    lines.push(`It stays in the work tree ${oneLine(tree)} until it is forgotten there, or this branch is merged.`)
  if (problem !== undefined) lines.push(`Whether commits have it could not be found out: ${oneLine(problem)}`)
  return lines
}
