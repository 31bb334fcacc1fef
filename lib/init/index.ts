/** Setting a project up for its agents, and undoing that. */
import { execFileSync } from 'node:child_process'
import { AGENTS, type AgentName, editsFor, findAgents } from './agents.js'
import { type Change, readText, writeChanges } from './change.js'
import { Originals } from './undo.js'

export { AGENTS, type AgentName, type Change, findAgents }

/** What would be written. */
export interface InitPlan {
  project: string
  agents: AgentName[]
  changes: Change[]
  /** A setting of the checkout, which is no file that one commits. */
  mergeDriver: 'set' | 'unset' | 'none'
  isRemoval: boolean
}

const DRIVER = 'merge.forge-memory'
const DRIVER_SETTINGS: [string, string][] = [
  [`${DRIVER}.name`, 'forge-memory: union of records, the newest revision wins'],
  [`${DRIVER}.driver`, 'npx -y forge-memory merge-driver %O %A %B'],
]

/** Plans what to write for these agents; writes nothing. */
export function planInit(project: string, agents: AgentName[]): InitPlan {
  const changes = editsFor(agents, project).flatMap(({ path, put }) => {
    const before = readText(project, path)
    const after = put(before ?? '')
    return after === before ? [] : [{ path, before, after }]
  })
  return { project, agents, changes, mergeDriver: hasDriver(project) === false ? 'set' : 'none', isRemoval: false }
}

/** Plans how to take out exactly what was put in, for all agents. */
export function planRemoval(project: string): InitPlan {
  const originals = new Originals(project)
  const changes = editsFor(AGENTS, project).flatMap(({ path, drop }) => {
    const before = readText(project, path)
    if (before === undefined) return []
    const after = originals.of(path, before) ?? drop(before)
    return after === before ? [] : [{ path, before, after }]
  })
  return { project, agents: AGENTS, changes, mergeDriver: hasDriver(project) ? 'unset' : 'none', isRemoval: true }
}

/** Does what a plan says. */
export function carryOut(plan: InitPlan): void {
  const { project, changes, mergeDriver } = plan
  writeChanges(project, changes)
  keepOriginals(plan)
  if (mergeDriver === 'set') for (const [key, value] of DRIVER_SETTINGS) git(project, 'config', '--local', key, value)
  if (mergeDriver === 'unset') git(project, 'config', '--local', '--remove-section', DRIVER)
}

/** Keeps what the texts of the files alone do not lead back to; what is taken out again needs keeping no longer. */
function keepOriginals({ project, agents, changes, isRemoval }: InitPlan): void {
  const edits = new Map(editsFor(agents, project).map((edit) => [edit.path, edit]))
  const originals = new Originals(project)
  for (const { path, before, after } of changes) {
    if (isRemoval || before === undefined || after === undefined) originals.forget(path)
    else if (edits.get(path)?.drop(after) !== before) originals.keep(path, before, after)
    else originals.forget(path)
  }
  try {
    originals.save()
  } catch {
    // The files themselves are written; without this they are taken apart by their text alone.
  }
}

/** Whether the checkout knows the merge driver; nothing where there is no checkout. */
function hasDriver(project: string): boolean | undefined {
  try {
    git(project, 'rev-parse', '--git-dir')
  } catch {
    return undefined
  }
  try {
    return DRIVER_SETTINGS.every(([key, value]) => git(project, 'config', '--local', '--get', key).trim() === value)
  } catch {
    return false
  }
}

function git(project: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
}
