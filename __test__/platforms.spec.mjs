// The platforms of the packages are the same everywhere: in the manifest, in the release workflow, and in the scripts that build and try them.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import test from 'node:test'
import { parse } from 'yaml'
import { fileOf, LIBRARIES, PLATFORMS, programOf } from '../scripts/addons/libraries.mjs'
import { MACHINES } from '../scripts/platforms/machine.mjs'
import { archiveFolder } from '../scripts/release/archives.mjs'
import { writePackages } from '../scripts/release/packages.mjs'
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

const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))

test('every script that the release workflow runs is there, and takes the options that it is given', () => {
  const { scripts } = JSON.parse(read('package.json'))
  const script = /(?:npm run ([\w:]+)|node (scripts\/[\w-]+\.mjs))(.*)/g
  const asked = commands.flatMap((line) => [...line.matchAll(script)])
  assert.deepEqual([...new Set(asked.map(([, name, path]) => name ?? path))].sort(), [
    'build:js',
    'release:candidate',
    'release:publish',
    'scripts/build-platforms.mjs',
    'scripts/test.mjs',
  ])
  for (const [, name, path, given] of asked) {
    const file = path ?? scripts[name].replace('node ', '')
    for (const [, option] of given.matchAll(/ --([a-z]+)/g)) {
      assert.ok(read(file).includes(option), `${file} does not know --${option}`)
    }
  }
})

test('the workflow publishes every archive of the candidate, each after those that it needs', (t) => {
  const candidate = commands.find((line) => line.includes('release:candidate'))
  const out = / --out (\S+)/.exec(candidate)[1]
  assert.match(candidate, / --all --bundle --libraries artifacts /)
  const publishing = commands.find((line) => line.includes('release:publish'))
  const [, args] = /^npm run release:publish -- (.+)$/.exec(publishing)
  const [libraries, staged] = [freshFolder(t), freshFolder(t)]
  const files = Object.values(PLATFORMS).flatMap((platform) => [
    ...LIBRARIES.map(({ name }) => fileOf(name, platform.name)),
    programOf(platform),
  ])
  for (const file of files) writeFileSync(join(libraries, file), '')
  const folder = freshFolder(t)
  mkdirSync(join(folder, out))
  const archives = writePackages(root, staged, Object.values(PLATFORMS), libraries).map((path) => {
    const { name, version } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
    return [name, archiveFolder(path, join(folder, out), { name, version })]
  })
  const sums = archives.map(([, path]) => {
    const sum = createHash('sha256').update(readFileSync(path)).digest('hex')
    return `${sum}  ${basename(path)}`
  })
  writeFileSync(join(folder, out, 'SHA256SUMS'), sums.join('\n'))
  // An npm of its own, whose registry has nothing and takes everything.
  const npm = join(folder, 'npm.js')
  const log = join(folder, 'published')
  writeFileSync(
    npm,
    `const [command, ...rest] = process.argv.slice(2)
if (command !== 'publish') process.exit(1)
require('node:fs').appendFileSync(${JSON.stringify(log)}, rest.join(' ') + '\\n')`,
  )
  const publish = [join(root, 'scripts/release/publish.mjs'), ...args.split(' ')]
  const env = { ...process.env, npm_execpath: npm }
  const { stderr } = spawnSync(process.execPath, publish, { cwd: folder, env, encoding: 'utf8' })
  assert.equal(stderr, '')
  const calls = readFileSync(log, 'utf8').trim().split('\n')
  assert.ok(calls.every((call) => call.endsWith(' --access public --provenance')))
  const order = calls.map((call) => archives.find(([, path]) => path === call.split(' ')[0])[0])
  const packages = archives.map(([name]) => name)
  const parts = ['forge-memory', 'forge-memory-lattice', 'forge-memory-embed']
  const platforms = Object.values(PLATFORMS).map(({ name }) => name)
  const expected = parts.flatMap((part) => [part, ...platforms.map((name) => `${part}-${name}`)])
  assert.deepEqual(packages.toSorted(), expected.toSorted())
  assert.deepEqual(order.toSorted(), expected.toSorted())
  assert.equal(order.at(-1), 'forge-memory')
  for (const part of parts.slice(1)) {
    const own = order.filter((name) => name.startsWith(`${part}-`))
    assert.ok(own.every((name) => order.indexOf(name) < order.indexOf(part)))
  }
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
