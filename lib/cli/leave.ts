// What only a person may do, and the leave that a person gives to scripts, once, on a terminal.
import { findProject, type ProjectOptions } from '../native.js'
import { type ApprovalKind, approve, isApproved } from '../shared/approvals.js'
import { variable } from '../shared/environment.js'
import { forgeHome } from '../shared/home.js'
import { pauseOf } from '../shared/pause.js'
import { attempt } from '../shared/problem.js'
import { commandKind, isStartedByAgent, speakAsPerson } from '../shared/speaker.js'
import { Failure } from './failure.js'

const LEAVE: ApprovalKind = { folder: 'trusted-scripts', field: 'speaker' }
const PERSON = 'person'

const HOW = 'a person gives it once on a terminal: forge-memory --as person status'

/**
 * Carries out `--as person`: on a terminal, a person gives leave to the scripts of this project, outside of projects to all of the user's; a script
 * that has it speaks as the person from now on. The variable `FORGE_AS` asks for the same, and gives no leave.
 */
export function speakAs(claimed: string | undefined, options: ProjectOptions): void {
  if (claimed === undefined) {
    if (variable('FORGE_AS') === PERSON && !isStartedByAgent() && hasLeave(options)) speakAsPerson()
    return
  }
  if (claimed !== PERSON) throw new Failure('INVALID_INPUT', '--as: expected person')
  const kind = commandKind()
  if (kind === 'agent') throw forPeopleAlone('speak as a person')
  if (kind === 'person') approve(LEAVE, folderOf(options), PERSON)
  else if (!hasLeave(options)) throw withoutLeave('speak as a person')
  speakAsPerson()
}

/**
 * Refuses what only a person may do. A script may, where a person gave leave for it and it says so. `what` completes "an agent cannot ...".
 */
export function requirePerson(what: string, options: ProjectOptions): void {
  const kind = commandKind()
  if (kind === 'agent') throw forPeopleAlone(what)
  if (kind !== 'script') return
  throw hasLeave(options) ? unsaid(what) : withoutLeave(what)
}

/** Refuses an agent what the tools of the MCP server refuse it while the user has paused the memory. */
export function refusePaused(options: ProjectOptions): void {
  const pause = attempt(() => pauseOf(options))
  if (pause !== undefined) throw pause
}

function forPeopleAlone(what: string): Failure {
  const hint = 'a person runs the same on a terminal of their own, or uses the dashboard'
  return new Failure('UNSUPPORTED', `an agent cannot ${what}`, { hint })
}

function withoutLeave(what: string): Failure {
  return new Failure('UNSUPPORTED', `a script cannot ${what} without a person's leave`, { hint: HOW })
}

function unsaid(what: string): Failure {
  return new Failure('UNSUPPORTED', `a script cannot ${what} unless it says that it speaks for the person`, {
    hint: 'it has leave: add --as person, or set FORGE_AS=person',
  })
}

function hasLeave(options: ProjectOptions): boolean {
  return isApproved(LEAVE, folderOf(options), PERSON) || isApproved(LEAVE, forgeHome(), PERSON)
}

function folderOf(options: ProjectOptions): string {
  // Outside of projects, and where a memory is not usable.
  return attempt(() => findProject(options)) ?? forgeHome()
}
