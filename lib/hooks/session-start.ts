// The context at the start of a session. A file of its own, because no other hook needs git, and loading that code takes time.
import { type ExecFileSyncOptions, execFileSync } from 'node:child_process'
import { knownAbout } from '../moment/evidence.js'
import { sessionNotesHere } from '../moment/scopes.js'
import { listMemories, type RecallHit } from '../native.js'
import type { HookCall } from './call.js'
import { CONTEXT_MS, givenDeadline } from './deadline.js'
import { injectNotes } from './moment.js'

/** The token budget at the start of a session. */
const SESSION_BUDGET = 540
const SESSION_MAX = 40
/** The age up to which records count as left by the last session. */
const RECENT = '3d'
const RECENT_MAX = 4
const CHANGED_MAX = 12

/** How an agent adds to the memory. Not at the beginning of a line, where it would be a mark itself. */
const HOW_TO_ADD = `To keep something for later sessions, write a line of its own such as "[remember:gotcha] The build needs Node 20.", or call memory_save or capture_thought; memory_recall finds more.`

/** Returns the context at the start of a session; `FORGE_PLAN` names the plan of the session. */
export function sessionContext(call: HookCall): string | undefined {
  const notes = sessionNotesHere(process.env.FORGE_PLAN)
  const isConcerning = (hit: RecallHit) => hit.matched.length > 0
  const found = [
    ...notes.filter(isConcerning).map((hit) => ({ hit, why: 'branch' })),
    ...changedFiles().map(({ hit, why }) => ({ hit, why: `changed ${why}` })),
    ...listMemories({ limit: RECENT_MAX, since: RECENT, scope: 'project' }).entries.map((hit) => ({
      hit,
      why: 'recent',
    })),
    ...notes.filter((hit) => !isConcerning(hit)).map((hit) => ({ hit, why: 'standing' })),
  ]
  const known = new Set<string>()
  const ordered = found.filter(({ hit }) => !known.has(hit.id) && known.add(hit.id))
  const framed = injectNotes(call, ordered, { notesMax: SESSION_MAX, budget: SESSION_BUDGET })
  return framed === undefined ? undefined : `${framed}\n${HOW_TO_ADD}`
}

/** Returns records about files with uncommitted changes. */
function changedFiles() {
  const paths = gitChanges()
  if (paths.length === 0) return []
  return knownAbout({ kind: 'edit', paths, texts: [] }).filter(({ kind }) => kind === 'file')
}

/** Returns the changed files; none without git, or when it takes longer than a third of the deadline. */
function gitChanges(): string[] {
  try {
    const paths = [...git('diff-files'), ...git('diff-index', '--cached', 'HEAD')]
    return [...new Set(paths)].slice(0, CHANGED_MAX)
  } catch {
    return []
  }
}

/** These commands read no file contents of the work tree, so they start no filter that a repository configures. */
function git(command: string, ...more: string[]): string[] {
  const args = [
    '-c',
    'core.fsmonitor=false',
    command,
    '--name-only',
    '--relative',
    '-z',
    '--ignore-submodules=all',
    ...more,
  ]
  const timeout = Math.ceil((givenDeadline() ?? CONTEXT_MS) / 3)
  const options: ExecFileSyncOptions = { timeout, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 20 }
  return execFileSync('git', args, options)
    .toString('utf8')
    .split('\0')
    .filter((path) => path !== '')
}
