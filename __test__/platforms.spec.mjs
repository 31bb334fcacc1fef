// The platforms of the packages are the same everywhere: in the manifest, in the release workflow, and in the scripts that build and try them.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { parse } from 'yaml'
import { PLATFORMS } from '../scripts/addons/libraries.mjs'
import { MACHINES } from '../scripts/platforms/machine.mjs'
import { freshFolder, root } from './support/project.mjs'

const read = (...path) => readFileSync(join(root, ...path), 'utf8')
const targets = Object.keys(PLATFORMS).sort()
const { jobs } = parse(read('.github/workflows/release.yml'))
const targetsOf = (job) => job.strategy.matrix.include.map(({ target }) => target).sort()

function script(name, ...args) {
  return spawnSync(process.execPath, [join(root, 'scripts', name), ...args], { encoding: 'utf8' })
}

test('every platform has a manifest, is built and tried by the release workflow, and no other is', () => {
  assert.deepEqual(JSON.parse(read('package.json')).napi.targets.toSorted(), targets)
  assert.deepEqual(
    readdirSync(join(root, 'npm')).sort(),
    Object.values(PLATFORMS)
      .map(({ name }) => name)
      .sort(),
  )
  assert.deepEqual(targetsOf(jobs.build), targets)
  assert.deepEqual(targetsOf(jobs.test), targets)
})

test('the workflow links exactly the libraries for Linux with zig', () => {
  const linked = jobs.build.strategy.matrix.include.filter(({ zig }) => zig).map(({ target }) => target)
  assert.deepEqual(
    linked.sort(),
    targets.filter((target) => PLATFORMS[target].os === 'linux'),
  )
})

test('a target without packages is refused by name, and so is none', () => {
  const unknown = script('build-platforms.mjs', 'x86_64-unknown-freebsd')
  assert.equal(unknown.status, 1)
  assert.match(
    unknown.stderr,
    /^error: no package is made for x86_64-unknown-freebsd; one of x86_64-unknown-linux-gnu, /,
  )
  const none = script('build-platforms.mjs')
  assert.deepEqual([none.status, none.stdout], [1, ''])
  assert.match(none.stderr, /^error: name a target: /)
})

test('every platform of Linux can be tried, and a folder without its libraries is refused', (t) => {
  const linux = Object.values(PLATFORMS).filter(({ os }) => os === 'linux')
  assert.deepEqual(Object.keys(MACHINES).sort(), linux.map(({ name }) => name).sort())
  const { status, stderr } = script('smoke-platforms.mjs', '--libraries', freshFolder(t), 'linux-x64-musl')
  assert.deepEqual([status, /^error: no libraries of linux-x64-musl in /.test(stderr)], [1, true])
})
