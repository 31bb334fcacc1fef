// Permissions that a project's settings ask for and only the user can give, and the user's own `settings.json` for all projects. The engine has the
// same rules: `project/floor.rs`.
import { join } from 'node:path'
import { projectSettings } from '../native.js'
import { type ApprovalKind, approve, isApproved } from './approvals.js'
import { OWN_DEFAULTS, OWN_FILE } from './declared-settings.js'
import { forgeHome } from './home.js'
import { readPrivateFile } from './private-file.js'

const SETTINGS: ApprovalKind = { folder: 'trusted-settings', field: 'setting' }

/** A thing that a project asks for, by the name of its approval. */
export type AskedSetting = 'redact: false' | 'captures'

/** Returns the permissions that the project asks for and lacks on this machine. */
export function unapprovedSettings(project: string): AskedSetting[] {
  const asked: AskedSetting[] = []
  if (projectSettings({ projectDir: project }).given.redact === false) asked.push('redact: false')
  if (isStrict('capture')) asked.push('captures')
  return asked.filter((each) => !isApproved(SETTINGS, project, each))
}

export function approveSetting(project: string, setting: string): void {
  approve(SETTINGS, project, setting)
}

/** True if agents find records of their own project only: `"search": "project"` in the user's `settings.json`. */
export function isSearchOfProjectOnly(): boolean {
  return isStrict('search')
}

/** True if a setting of the user is not its default. What is invalid counts as strict, because guessing could lower a guard. */
function isStrict(name: keyof typeof OWN_DEFAULTS): boolean {
  try {
    const text = readPrivateFile(join(forgeHome(), OWN_FILE), 0)
    const value = (JSON.parse(text ?? '{}') as Record<string, unknown> | null)?.[name]
    return value !== undefined && value !== OWN_DEFAULTS[name]
  } catch {
    // A file that is no JSON is reported by `doctor`.
    return false
  }
}
