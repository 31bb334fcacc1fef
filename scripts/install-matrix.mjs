// Tries to install a release candidate in every way that people install packages, from a registry on the loopback into empty projects.
//   node scripts/install-matrix.mjs [--candidate FOLDER] [--only PATTERN] [--write]
// Without --candidate it makes one of what was built. --write puts the table into docs/reference/platforms.md. Package managers and versions of Node
// come from the registry of npm, once.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { benchIn } from './install/bench.mjs'
import { candidateIn } from './install/candidate.mjs'
import { CASES } from './install/cases.mjs'
import { tableOf, writeTable } from './platforms/page.mjs'
import { installedDependencies } from './release/archives.mjs'
import { npm } from './release/npm.mjs'
import { serveRegistry } from './release/registry.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const optionOf = (option) => {
  const at = process.argv.indexOf(option)
  return at < 0 ? undefined : process.argv[at + 1]
}

/** The tools, by the names under which they are installed. */
const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
const TOOLS = [
  'pnpm@12',
  'yarn1@npm:yarn@1',
  '@yarnpkg/cli-dist@4',
  'bun@1',
  ...['20', '22', '24'].map((version) => `node${version}@npm:node-${platform}@${version}`),
]

function prepareTools() {
  const folder = join(root, '.cache', 'install-matrix')
  if (existsSync(join(folder, 'node_modules'))) return folder
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  npm(['install', '--no-audit', '--no-fund', ...TOOLS], folder)
  return folder
}

function tryCase(bench, { name, run }) {
  const started = Date.now()
  try {
    run(bench)
    return { name, seconds: (Date.now() - started) / 1000 }
  } catch (error) {
    return { name, seconds: (Date.now() - started) / 1000, failure: error.message }
  }
}

const folder = mkdtempSync(join(tmpdir(), 'forge-memory-install-'))
const tools = prepareTools()
const served = join(folder, 'served')
mkdirSync(served)
const registry = await serveRegistry(
  candidateIn(root, folder, optionOf('--candidate')),
  installedDependencies(root),
  served,
)
try {
  const bench = benchIn(folder, { registry, tools, root })
  const only = optionOf('--only')
  const results = []
  for (const one of CASES.filter(({ name }) => only === undefined || name.includes(only))) {
    const result = tryCase(bench, one)
    results.push(result)
    console.log(
      `${result.failure === undefined ? 'works' : 'FAILS'}  ${result.seconds.toFixed(1).padStart(5)} s  ${result.name}`,
    )
    if (result.failure !== undefined) console.log(result.failure.replace(/^/gm, '    '))
  }
  if (process.argv.includes('--write')) {
    const rows = results.map(({ name, failure }) => [name, failure === undefined ? 'works' : 'fails'])
    writeTable('installations', tableOf(['installation', ''], rows))
  }
  process.exitCode = results.some(({ failure }) => failure !== undefined) ? 1 : 0
} finally {
  await registry.close()
  rmSync(folder, { recursive: true, force: true })
}
