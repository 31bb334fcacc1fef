// The installations that are tried. Each case is a function that installs into an empty folder, uses what it has installed, and throws
// when something is not as it should be.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MANAGERS } from './managers.mjs'
import { writeProbes, writeTyped } from './probes.mjs'

const LATTICE = 'forge-memory-lattice'
const json = (path, value) => writeFileSync(path, JSON.stringify(value))

/** An empty project in which a package manager works. */
function project(bench, name, manager) {
  // The name of a folder may have spaces and letters of any script.
  const folder = join(bench.folder, `ein Ordner, ${name}, día 日`)
  mkdirSync(folder, { recursive: true })
  json(join(folder, 'package.json'), { private: true, name: 'consumer', version: '1.0.0' })
  const { prepare, program, add, run } = MANAGERS[manager]
  prepare(folder, bench.url)
  const means = (words) => (program === undefined ? words : [...program(bench.tools), ...words])
  return {
    folder,
    add: (packages, ...options) => bench.run([...means(add(packages)), ...options], folder),
    probe: (script, where = folder) => {
      const words = run === undefined ? ['node', script] : means(run(script))
      return JSON.parse(bench.run(words, where).trim().split('\n').at(-1))
    },
  }
}

/** The memory and the shared store work without the addons; it says which one is missing, and has it once that is installed. */
function use({ folder, add, probe }, ...options) {
  add(['forge-memory'], ...options)
  writeProbes(folder)
  for (const script of ['probe.cjs', 'probe.mjs']) {
    assert.deepEqual(probe(script), { found: 1, graph: 'ADDON_MISSING', stored: 0 }, `${script} without ${LATTICE}`)
  }
  add([LATTICE], ...options)
  for (const script of ['probe.cjs', 'probe.mjs']) {
    assert.deepEqual(probe(script), { found: 1, graph: 'indexed', stored: 0 }, `${script} with ${LATTICE}`)
  }
}

const withManager = (manager) => ({
  name: `${manager}: CommonJS and ESM, with and without the code graph`,
  run: (bench) => use(project(bench, manager, manager)),
})

const withNode = (version) => ({
  name: `Node ${version}, npm: CommonJS and ESM, with and without the code graph`,
  run: (bench) => use(project(bench.withNode(version), `Node ${version}`, 'npm')),
})

function ignoreScripts(bench) {
  use(project(bench, 'no scripts', 'npm'), '--ignore-scripts')
}

function typescript(bench) {
  const { folder, add } = project(bench, 'TypeScript', 'npm')
  add(['forge-memory'])
  for (const { name, path } of writeTyped(folder)) {
    try {
      bench.run(['node', bench.tsc, '-p', path], folder)
    } catch (error) {
      throw new Error(`${name}: ${error.message}`)
    }
  }
}

function offline(bench) {
  const { folder, add, probe } = project(bench, 'offline', 'npm')
  add(['forge-memory', LATTICE])
  rmSync(join(folder, 'node_modules'), { recursive: true })
  bench.run(['npm', 'ci', '--offline'], folder)
  writeProbes(folder)
  assert.deepEqual(probe('probe.cjs'), { found: 1, graph: 'indexed', stored: 0 })
}

const monorepo = (manager) => (bench) => {
  const { folder, add, probe } = project(bench, `monorepo with ${manager}`, manager)
  const app = join(folder, 'packages', 'app')
  mkdirSync(app, { recursive: true })
  json(join(app, 'package.json'), {
    name: 'app',
    version: '1.0.0',
    dependencies: { 'forge-memory': '*', [LATTICE]: '*' },
  })
  if (manager === 'pnpm') writeFileSync(join(folder, 'pnpm-workspace.yaml'), 'packages: ["packages/*"]\n')
  else json(join(folder, 'package.json'), { private: true, name: 'consumer', workspaces: ['packages/*'] })
  if (manager === 'pnpm')
    bench.run(['node', join(bench.tools, 'node_modules', 'pnpm', 'bin', 'pnpm.mjs'), 'install'], folder)
  else add([])
  writeProbes(app)
  assert.deepEqual(probe('probe.mjs', app), { found: 1, graph: 'indexed', stored: 0 })
}

function globally(bench) {
  const { folder } = project(bench, 'global', 'npm')
  const prefix = join(bench.folder, 'global prefix')
  const install = (name) =>
    bench.run(['npm', 'install', '--global', '--prefix', prefix, '--registry', bench.url, name], folder)
  const command = join(prefix, ...(process.platform === 'win32' ? ['forge-memory.cmd'] : ['bin', 'forge-memory']))
  install('forge-memory')
  bench.run([command, 'capture', '--type', 'lesson', 'pnpm vitest --run for CI'], folder)
  assert.match(bench.run([command, 'recall', 'vitest'], folder), /pnpm vitest --run/)
  assert.throws(() => bench.run([command, 'lattice', 'index'], folder), /npm install forge-memory-lattice/)
  install(LATTICE)
  bench.run([command, 'lattice', 'index'], folder)
}

function noPackage(bench) {
  const { folder, add } = project(bench, 'no package', 'npm')
  add(['forge-memory'])
  const modules = join(folder, 'node_modules')
  for (const name of readdirSync(modules).filter((name) => /^forge-memory-.*(x64|arm64)/.test(name))) {
    rmSync(join(modules, name), { recursive: true })
  }
  writeProbes(folder)
  const platform = new RegExp(
    `the engine for this machine \\(${process.platform}-${process.arch}\\S*\\) is not installed`,
  )
  assert.throws(
    () => bench.run(['node', 'probe.cjs'], folder),
    ({ message }) => platform.test(message) && ['1. ', '2. ', '3. '].every((way) => message.includes(way)),
  )
  assert.throws(
    () => bench.run(['node', join(modules, 'forge-memory', 'dist', 'cli', 'main.js'), 'recall', 'x'], folder),
    platform,
  )
}

function whatIsDownloaded(bench) {
  const { folder, add } = project(bench, 'sizes', 'npm')
  add(['forge-memory'])
  const all = readdirSync(join(folder, 'node_modules')).filter((name) => name.startsWith('forge-memory'))
  assert.equal(all.length, 2, all.join())
  assert.ok(!existsSync(join(folder, 'node_modules', LATTICE)))
}

export const CASES = [
  ...Object.keys(MANAGERS).map(withManager),
  ...['20', '22', '24'].map(withNode),
  { name: 'npm: only the engine of this platform is downloaded', run: whatIsDownloaded },
  { name: 'npm --ignore-scripts', run: ignoreScripts },
  { name: 'TypeScript in strict: node16, nodenext, bundler', run: typescript },
  { name: 'npm ci --offline, after one installation', run: offline },
  { name: 'npm: dependency of a package in a monorepo', run: monorepo('npm') },
  { name: 'pnpm: dependency of a package in a monorepo', run: monorepo('pnpm') },
  { name: 'npm --global, then the code graph', run: globally },
  { name: 'no package for the platform: the error names it and three ways out', run: noPackage },
]

/** The cases that need nothing but npm, for the tests. */
export const SMALL = CASES.filter(({ name }) => /^(npm: CommonJS|npm: only|no package)/.test(name))
