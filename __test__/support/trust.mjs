import { readSettings } from '../../dist/openbrain/settings.js'
import { approve } from '../../dist/openbrain/trust.js'

/** Approves what the files of a project name, as its user does with `drain --trust`. Wrong settings name nothing. */
export function approveStores(project, home = process.env.FORGE_HOME) {
  const before = process.env.FORGE_HOME
  process.env.FORGE_HOME = home
  try {
    approve(readSettings(project))
  } catch (error) {
    if (error.kind !== 'misconfigured') throw error
  } finally {
    if (before === undefined) delete process.env.FORGE_HOME
    else process.env.FORGE_HOME = before
  }
}
