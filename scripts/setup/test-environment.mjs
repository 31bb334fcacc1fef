// What every run of the JavaScript tests has around it: a home of its own, and nothing beyond this machine.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Makes the environment of the tests, with its files in a folder for temporary ones. `strayed()` lists the connections that tests, or the Node processes they start, tried to open to
 * elsewhere.
 */
export function testEnvironment(root, folder = tmpdir()) {
  // Whoever runs the tests has a memory of their own, which they leave alone.
  const home = mkdtempSync(join(folder, 'forge-memory-home-'))
  const connections = join(home, 'connections-of-tests')
  // Node reads these at every start, which takes longer than the rest of it. They are for hosts that no test connects to.
  const { NODE_EXTRA_CA_CERTS, ...inherited } = process.env
  const guard = join(root, '__test__', 'support', 'loopback-only.cjs')
  return {
    env: {
      ...inherited,
      FORGE_HOME: home,
      FORGE_TEST_CONNECTIONS: connections,
      NODE_OPTIONS: `--require=${JSON.stringify(guard)}`,
    },
    strayed: () => (existsSync(connections) ? readFileSync(connections, 'utf8').trim().split('\n') : []),
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}
