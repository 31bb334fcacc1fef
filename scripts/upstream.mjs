// Runs the tests of Plan Forge twice, with its own modules and with those of forge-memory/plan-forge in their place, and classifies them:
//   node scripts/upstream.mjs --upstream FOLDER
// FOLDER is a checkout of Plan Forge whose dependencies are installed. It is copied, and not changed. Build first: npm run build.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { classify } from './upstream/classify.mjs'
import { measures, replaceModules } from './upstream/facade.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const entry = join(root, 'dist', 'plan-forge', 'index.js')
const at = process.argv.indexOf('--upstream')
const upstream = at < 0 ? undefined : process.argv[at + 1]
if (upstream === undefined || !existsSync(join(upstream, 'pforge-mcp', 'memory.mjs'))) {
  console.error('usage: node scripts/upstream.mjs --upstream FOLDER; FOLDER is a checkout of Plan Forge')
  process.exit(2)
}

const packages = readdirSync(upstream).filter((name) => existsSync(join(upstream, name, 'node_modules', 'vitest')))
if (packages.length === 0) {
  console.error(`vitest is not installed in a package of ${upstream}: run npm install in pforge-mcp`)
  process.exit(2)
}

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'upstream-')))
try {
  const own = run(copyTo('own'))
  const copy = copyTo('replaced')
  const replaced = replaceModules(copy, entry, Object.keys(createRequire(import.meta.url)(entry)))
  for (const [module, names] of Object.entries(replaced)) console.log(`${module}: ${names.length} names replaced`)
  const isMeasured = (file) => measures(readFileSync(join(copy, file), 'utf8'), replaced)
  const { unrelated, ...classes } = classify(own, run(copy), isMeasured)
  for (const [name, tests] of Object.entries(classes)) {
    console.log(`\n${name}: ${tests.length}`)
    if (name !== 'passes') for (const test of tests) console.log(`  ${test}`)
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
function run(copy) {
  const env = { ...process.env, FORGE_HOME: join(copy, '.home'), CI: '1' }
  const testResults = packages.flatMap((name) => {
    const cwd = join(copy, name)
    const report = join(cwd, 'report.json')
    const vitest = join(cwd, 'node_modules', 'vitest', 'vitest.mjs')
    spawnSync(process.execPath, [vitest, 'run', '--reporter=json', `--outputFile=${report}`], {
      cwd,
      env,
      stdio: 'ignore',
    })
    return JSON.parse(readFileSync(report, 'utf8')).testResults
  })
  return { testResults: testResults.map((result) => ({ ...result, name: relative(copy, result.name) })) }
}
