import { agentStanding, type ProjectOptions } from '../native.js'
import { type Problem, problem } from './problem.js'

/** Returns what agents are told while the user has paused the memory; undefined otherwise. */
export function pauseOf(project: ProjectOptions): Problem | undefined {
  const standing = agentStanding(project)
  if (standing.state !== 'paused') return undefined
  const until = standing.until === undefined ? '' : ` until ${standing.until}`
  return problem('PAUSED', `the user has paused the memory${until}; nothing was read or stored`)
}
