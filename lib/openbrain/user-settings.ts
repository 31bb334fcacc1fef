// The user's own settings, `~/.forge/config.json`: one store and one embedder for all projects, which a project's files may override.
// The file is the user's decision, so that the addresses in it need no approval.
import { join } from 'node:path'
import { layeredSettings, type projectSettings } from '../native.js'
import { OWN_STORE_FILE } from '../shared/declared-settings.js'
import { forgeHome } from '../shared/home.js'
import { isObject, parsedJson } from '../shared/json.js'
import { OTHERS_WRITE, readPrivateFile, writePrivateFile } from '../shared/private-file.js'
import { hasCode } from '../shared/problem.js'
import { StoreFailure } from './failure.js'

/** Settings as a file has them, without defaults. */
export type GivenSettings = ReturnType<typeof projectSettings>['given']

/** Only this file may say who captures are from. */
export interface UserSettings extends Pick<GivenSettings, 'embedder'> {
  openbrain?: GivenSettings['openbrain'] & { createdBy?: unknown }
}

export function userSettingsPath(): string {
  return join(forgeHome(), OWN_STORE_FILE)
}

/** Reads the user's settings; empty when there are none. Throws `misconfigured` for a file that is broken, or that others can change. */
export function readUserSettings(): UserSettings {
  return layeredSettings([parseOwn()]).given
}

function parseOwn(): object {
  const text = readOwn()
  if (text === undefined) return {}
  const value = parsedJson(text)
  if (isObject(value)) return value
  throw new StoreFailure('misconfigured', '~/.forge/config.json is not a JSON object')
}

function readOwn(): string | undefined {
  const path = userSettingsPath()
  let text: string | undefined
  try {
    text = readPrivateFile(path, 0)
    if (text === undefined || readPrivateFile(path, OTHERS_WRITE) !== undefined) return text
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw new StoreFailure('misconfigured', '~/.forge/config.json cannot be read: it has to be a regular file')
  }
  throw new StoreFailure(
    'misconfigured',
    '~/.forge/config.json can be changed by others: chmod 600 ~/.forge/config.json',
  )
}

/** Sets the store of all projects that name none. Other settings stay. */
export function writeUserStore(url: string): void {
  const settings: UserSettings = parseOwn()
  const openbrain = { ...settings.openbrain, url }
  writePrivateFile(userSettingsPath(), `${JSON.stringify({ ...settings, openbrain }, null, 2)}\n`)
}
