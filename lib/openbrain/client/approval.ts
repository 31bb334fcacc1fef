import { findProject, type ProjectOptions } from '../../native.js'
import { attempt } from '../../shared/problem.js'
import { type Backlog, backlogOf, noteJoined } from '../backlog.js'
import { readSettings, validSettings } from '../settings.js'
import { approve, untrusted } from '../trust.js'

/** Returns the addresses that the project's files name and the user has not approved; none when the settings are invalid. */
export function pending(options: ProjectOptions = {}): string[] {
  const projectDir = findProject(options)
  // The drain reports invalid settings.
  return attempt(() => untrusted(readSettings(projectDir))) ?? []
}

export function approveAll(options: ProjectOptions = {}): string[] {
  const named = pending(options)
  if (named.length > 0) approve(readSettings(findProject(options)))
  return named
}

/** Counts the records that the store of the settings lacks; undefined when it lacks none, or the settings are invalid. */
export function backlog(options: ProjectOptions = {}): Backlog | undefined {
  const settings = validSettings(findProject(options))
  return settings && backlogOf(settings)
}

/** Notes that the store of the settings lacks nothing any more; the drain reports invalid settings. */
export function joined(options: ProjectOptions = {}): void {
  const settings = validSettings(findProject(options))
  if (settings !== undefined) noteJoined(settings)
}
