import { readFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { findProject, frameNotes, listMemories, type RecallHit, recall } from '../index.js'
import { noteLine } from '../shared/note-line.js'

/** What the start of a session may take, in tokens. */
const SESSION_BUDGET = 2000
/** What a prompt may take: it is paid for on every prompt. */
const PROMPT_BUDGET = 600
const PROMPT_HITS = 5
/** Kinds that are of use whatever the session is about, the most useful first. */
const STANDING = ['convention', 'test_command', 'gotcha', 'failure_pattern', 'decision', 'architecture', 'pattern']
const STANDING_EACH = 6
const STANDING_LOOKED_AT = 300

/** What to know at the start: what concerns the branch and the plan, then what holds always. */
export function sessionContext(): string | undefined {
  const project = findProject()
  const about = [branchOf(project), process.env.FORGE_PLAN].filter((name) => name !== undefined).join(' ')
  const concerning = about === '' ? [] : recall(words(about), { limit: 10 }).hits
  // One look at the newest of all kinds: a look for each would take as long each time.
  const { entries } = listMemories({ types: STANDING, limit: STANDING_LOOKED_AT })
  const standing = STANDING.map((kind) => entries.filter(({ type }) => type === kind).slice(0, STANDING_EACH))
  return framed([...concerning, ...standing.flat()], SESSION_BUDGET)
}

/** What is known about a prompt: only what shares two of its words, or all of them. */
export function promptContext(prompt: string): string | undefined {
  const { hits } = recall(prompt.slice(0, 2000), { limit: PROMPT_HITS })
  const wanted = prompt.trim().split(/\s+/).length
  return framed(
    hits.filter(({ matched }) => matched.length >= Math.min(2, wanted)),
    PROMPT_BUDGET,
  )
}

function framed(hits: RecallHit[], budget: number): string | undefined {
  const once = [...new Map(hits.map((hit) => [hit.id, hit])).values()]
  if (once.length === 0) return undefined
  return frameNotes(once.map(noteLine), { budget }).text
}

/** Words of a name such as `feature/auth-mocks_2`. */
function words(name: string): string {
  return name.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()
}

/** The branch, read from the files of git: starting git would take longer than all the rest. */
function branchOf(folder: string): string | undefined {
  try {
    const head = readFileSync(join(gitFolder(folder), 'HEAD'), 'utf8')
    const [, branch] = /^ref: refs\/heads\/(.+)$/m.exec(head) ?? []
    return branch === undefined || /^(main|master|trunk|develop)$/.test(branch) ? undefined : branch
  } catch {
    return undefined
  }
}

/** The folder `.git` of a checkout; in a work tree `.git` is a file that names it. */
function gitFolder(folder: string): string {
  const path = join(folder, '.git')
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) {
    const parent = dirname(folder)
    if (parent === folder) throw new Error('not in a checkout')
    return gitFolder(parent)
  }
  if (found.isDirectory()) return path
  const [, target = ''] = /^gitdir: (.+)$/m.exec(readFileSync(path, 'utf8')) ?? []
  return isAbsolute(target) ? target : resolve(folder, target)
}
