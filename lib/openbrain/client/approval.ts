import { findProject, type ProjectOptions } from '../../native.js'
import { readSettings } from '../settings.js'
import { approve, untrusted } from '../trust.js'

/** Returns the addresses that the project's files name and that are not approved. Wrong settings name none. */
export function pending(options: ProjectOptions = {}): string[] {
  const projectDir = findProject(options)
  try {
    return untrusted(readSettings(projectDir))
  } catch {
    // The drain itself says what is wrong with them.
    return []
  }
}

/** Approves all of that, and returns it. */
export function approveAll(options: ProjectOptions = {}): string[] {
  const named = pending(options)
  if (named.length > 0) approve(readSettings(findProject(options)))
  return named
}
