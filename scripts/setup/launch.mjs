// Entry of the scripts. It must be readable by every Node that runs ES modules, so that an old one gets a message and not
// a syntax error: nothing newer than Node 14 here, and everything else is loaded after the check.
import { fileURLToPath } from 'node:url'

const OLDEST_NODE = [20, 19]

function isOldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  return major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])
}

/** Runs the script's work and sets the exit code; an error becomes two lines, not a stack. */
export async function launch(work) {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  try {
    if (isOldNode()) {
      const error = new Error(`Node ${process.versions.node} is too old: ${OLDEST_NODE.join('.')} or newer is needed`)
      error.hint = 'install a current release from https://nodejs.org and run the same command again'
      throw error
    }
    const { prepare, prepareBeside } = await import('./prepare.mjs')
    const beside = (name, signal) => prepareBeside(root, name, signal)
    process.exitCode = await work({ root, prepare: (options) => prepare(root, options), prepareBeside: beside })
  } catch (error) {
    console.error(`error: ${error.message}`)
    if (error.hint) console.error(`hint: ${error.hint}`)
    process.exitCode = 1
  }
}
