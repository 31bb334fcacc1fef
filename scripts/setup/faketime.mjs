// Finds faketime, which gives a program a clock that stands still. Where that is allowed, installs the one that the system packages.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { run } from './run.mjs'

const isThere = () => spawnSync('faketime', ['--version'], { stdio: 'ignore' }).status === 0

/** Makes sure that there is faketime, or says what to install. */
export async function requireFaketime(root) {
  if (isThere()) return
  if (process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    const apt = (...args) => ({ command: 'apt-get', args: ['-y', '--no-install-recommends', ...args] })
    await run('looking for the package of faketime', apt('update'), root)
    await run('installing faketime', apt('install', 'faketime'), root)
    if (isThere()) return
  }
  throw Object.assign(
    new Error('pictures that can be compared need a clock that stands still, but faketime was not found'),
    {
      hint:
        process.platform === 'darwin'
          ? 'brew install libfaketime'
          : 'install the package "faketime" and run the same command again',
    },
  )
}
