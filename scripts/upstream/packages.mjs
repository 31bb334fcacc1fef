// The packages of a checkout of Plan Forge that have tests, and their test runner.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const RUNNER = join('node_modules', 'vitest', 'vitest.mjs')

/** Returns the packages with tests of vitest. In a workspace it is in the folder of the root, not in that of the package. */
export function packagesIn(checkout) {
  return readdirSync(checkout).flatMap((name) => {
    const runners = [join(checkout, name, RUNNER), join(checkout, RUNNER)].map((path) => resolve(path))
    const vitest = runners.find((path) => existsSync(path))
    if (vitest === undefined || !usesVitest(join(checkout, name))) return []
    return [{ name, vitest }]
  })
}

function usesVitest(folder) {
  const path = join(folder, 'package.json')
  if (!existsSync(path)) return false
  const { dependencies, devDependencies, scripts } = JSON.parse(readFileSync(path, 'utf8'))
  const isNamed = 'vitest' in { ...dependencies, ...devDependencies }
  return isNamed || /\bvitest\b/.test(scripts?.test ?? '') || existsSync(join(folder, RUNNER))
}

/** Lists the files of tests below a package, with forward slashes. */
export function testsBelow(folder, path = '') {
  return readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
    const below = path === '' ? entry.name : `${path}/${entry.name}`
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : testsBelow(folder, below)
    return /\.(?:test|spec)\.[cm]?[jt]s$/.test(entry.name) ? [below] : []
  })
}
