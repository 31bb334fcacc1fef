import { readSettings } from '../../dist/openbrain/settings.js'
import { approve } from '../../dist/openbrain/trust.js'
import { enterHome } from './home.mjs'

/** Approves what the files of a project name, as its user does with `drain --trust`. Wrong settings name nothing. */
export function approveStores(project, home = process.env.FORGE_HOME) {
  const leaveHome = home === undefined ? () => undefined : enterHome(home)
  try {
    approve(readSettings(project))
  } catch (error) {
    if (error.kind !== 'misconfigured') throw error
  } finally {
    leaveHome()
  }
}
