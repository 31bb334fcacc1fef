/** Setting a project up for its agents, and undoing that. */
import { execFileSync } from 'node:child_process'
import { AGENTS, type AgentName, editsFor, findAgents } from './agents.js'
import { type Change, readText, writeChanges } from './change.js'

export { AGENTS, type AgentName, type Change, findAgents }

/** What would be written. */
export interface InitPlan {
  project: string
  agents: AgentName[]
  changes: Change[]
  /** A setting of the checkout, which is no file that one commits. */
  mergeDriver: 'set' | 'unset' | 'none'
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
  return { project, agents, changes, mergeDriver: hasDriver(project) === false ? 'set' : 'none' }
}

/** Plans how to take out exactly what was put in, for all agents. */
export function planRemoval(project: string): InitPlan {
  const changes = editsFor(AGENTS, project).flatMap(({ path, drop }) => {
    const before = readText(project, path)
    if (before === undefined) return []
    const after = drop(before)
    return after === before ? [] : [{ path, before, after }]
  })
  return { project, agents: AGENTS, changes, mergeDriver: hasDriver(project) ? 'unset' : 'none' }
}

/** Does what a plan says. */
export function carryOut({ project, changes, mergeDriver }: InitPlan): void {
  writeChanges(project, changes)
  if (mergeDriver === 'set') for (const [key, value] of DRIVER_SETTINGS) git(project, 'config', '--local', key, value)
  if (mergeDriver === 'unset') git(project, 'config', '--local', '--remove-section', DRIVER)
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
