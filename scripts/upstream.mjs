// Runs the tests of Plan Forge with its own modules, with those of forge-memory/plan-forge in their place, and with functions in their
// place that throw, and classifies them:
//   node scripts/upstream.mjs --upstream FOLDER [--quick]
// FOLDER is a checkout of Plan Forge whose dependencies are installed. It is copied, and not changed. --quick runs only the files that
// import a replaced module. Build first: npm run build.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { classify } from './upstream/classify.mjs'
import { measures, nothingInstead, replaceModules } from './upstream/facade.mjs'
import { packagesIn, testsBelow } from './upstream/packages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const entry = join(root, 'dist', 'plan-forge', 'index.js')
const at = process.argv.indexOf('--upstream')
const upstream = at < 0 ? undefined : process.argv[at + 1]
const isQuick = process.argv.includes('--quick')
if (upstream === undefined || !existsSync(join(upstream, 'pforge-mcp', 'memory.mjs'))) {
  console.error('usage: node scripts/upstream.mjs --upstream FOLDER [--quick]; FOLDER is a checkout of Plan Forge')
  process.exit(2)
}

const packages = packagesIn(upstream)
if (packages.length === 0) {
  console.error(`vitest is neither in ${upstream} nor in a package of it: run npm install in pforge-mcp`)
  process.exit(2)
}

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'upstream-')))
try {
  const ours = Object.keys(createRequire(import.meta.url)(entry))
  const [own, replaced, throwing] = ['own', 'replaced', 'throwing'].map(copyTo)
  const names = replaceModules(replaced, ours, entry)
  nothingInstead(throwing, ours)
  for (const [module, list] of Object.entries(names)) console.log(`${module}: ${list.length} names replaced`)
  const isMeasured = (file) => measures(readFileSync(join(replaced, file), 'utf8'), names)
  const reports = [own, replaced, throwing].map((copy) => run(copy, isMeasured))
  const { unrelated, ...classes } = classify(...reports, isMeasured)
  for (const [name, tests] of Object.entries(classes)) {
    console.log(`\n${name}: ${tests.length}`)
    if (!['passes', 'passesWithoutUs'].includes(name)) for (const test of tests) console.log(`  ${test}`)
  }
  console.log(`\nunrelated: ${unrelated}`)
  process.exitCode = classes.fails.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Copies the checkout, but for its dependencies, which the copy has as links. */
function copyTo(name) {
  const copy = join(folder, name)
  const isLeftOut = (path) => ['node_modules', '.git'].includes(basename(path))
  cpSync(resolve(upstream), copy, { recursive: true, filter: (path) => !isLeftOut(path) })
  for (const at of ['.', ...readdirSync(upstream)]) {
    const modules = join(resolve(upstream), at, 'node_modules')
    if (existsSync(modules) && existsSync(join(copy, at)))
      symlinkSync(modules, join(copy, at, 'node_modules'), 'junction')
  }
  return copy
}

/** Runs the tests of all packages, and returns one report whose files are named within the checkout. */
function run(copy, isMeasured) {
  const env = { ...process.env, FORGE_HOME: join(copy, '.home'), CI: '1' }
  const testResults = packages.flatMap(({ name, vitest }) => {
    const cwd = join(copy, name)
    const report = join(cwd, 'report.json')
    const files = isQuick ? testsBelow(cwd).filter((file) => isMeasured(join(name, file))) : []
    if (isQuick && files.length === 0) return []
    console.log(`\n${relative(folder, cwd)}: ${isQuick ? `${files.length} files` : 'all files'}`)
    const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`]
    const { status } = spawnSync(process.execPath, [vitest, 'run', ...reporters, ...files], {
      cwd,
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    if (existsSync(report)) return JSON.parse(readFileSync(report, 'utf8')).testResults
    console.error(`${relative(folder, cwd)}: vitest ended with ${status} and wrote no report`)
    return []
  })
  return { testResults: testResults.map((result) => ({ ...result, name: relative(copy, result.name) })) }
}
