// Where installations are tried: a folder of its own, with a registry, a home and caches that nothing else uses.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

/** Makes the environment of the cases. `registry` is what serves the packages; `tools` has the package managers and versions of Node. */
export function benchIn(folder, { registry, tools, root, node = process.execPath }) {
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  const env = {
    PATH: [dirname(node), process.env.PATH].join(delimiter),
    HOME: home,
    USERPROFILE: home,
    FORGE_HOME: join(home, '.forge'),
    SystemRoot: process.env.SystemRoot,
    TMPDIR: process.env.TMPDIR,
    npm_config_registry: registry.url,
    npm_config_cache: join(folder, 'npm cache'),
    npm_config_userconfig: join(home, '.npmrc'),
    YARN_CACHE_FOLDER: join(folder, 'yarn cache'),
    BUN_INSTALL_CACHE_DIR: join(folder, 'bun cache'),
    CI: '1',
  }
  const run = (words, cwd) => {
    const [command, ...args] = wordsFor(words, node)
    const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: 300_000 })
    if (status === 0) return stdout
    throw new Error(`${words.slice(0, 4).join(' ')}: ${error?.message ?? `exit ${status}`}\n${stdout}\n${stderr}`)
  }
  const withNode = (version) => {
    const own = join(tools, 'node_modules', `node${version}`, 'bin', 'node')
    return benchIn(folder, { registry, tools, root, node: own })
  }
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  return { folder, url: registry.url, tools, tsc, run, withNode }
}

/** The npm of this Node runs under the Node that is tried, whatever its own first line says. */
function wordsFor([command, ...rest], node) {
  if (command === 'node') return [node, ...rest]
  if (command !== 'npm') return [command, ...rest]
  const script = process.env.npm_execpath?.endsWith('.js') ? process.env.npm_execpath : npmOf(process.execPath)
  return [node, script, ...rest]
}

function npmOf(node) {
  const modules =
    process.platform === 'win32'
      ? join(dirname(node), 'node_modules')
      : join(dirname(node), '..', 'lib', 'node_modules')
  return join(modules, 'npm', 'bin', 'npm-cli.js')
}
