import { findProject, type ProjectOptions } from '../../native.js'
import { readSettings } from '../settings.js'
import { approve, untrusted } from '../trust.js'

/** Returns the addresses that the project's files name and the user has not approved; none when the settings are invalid. */
export function pending(options: ProjectOptions = {}): string[] {
  const projectDir = findProject(options)
  try {
    return untrusted(readSettings(projectDir))
  } catch {
    // The drain reports invalid settings.
    return []
  }
}

/** Approves these addresses, and returns them. */
export function approveAll(options: ProjectOptions = {}): string[] {
  const named = pending(options)
  if (named.length > 0) approve(readSettings(findProject(options)))
  return named
}
