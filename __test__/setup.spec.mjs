import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import test from 'node:test'
import { fingerprint, readStamps, writeStamps } from '../scripts/setup/fingerprint.mjs'
import { stepsNow } from '../scripts/setup/prepare.mjs'
import { run } from '../scripts/setup/run.mjs'
import { freshFolder, root } from './support/project.mjs'

test('a fingerprint follows names and bytes, not times', (t) => {
  const folder = freshFolder(t)
  mkdirSync(join(folder, 'src', 'deep'), { recursive: true })
  writeFileSync(join(folder, 'src', 'deep', 'a'), 'one')
  writeFileSync(join(folder, 'src', 'b'), 'two')
  const first = fingerprint(folder, ['src', 'absent'])
  utimesSync(join(folder, 'src', 'b'), 1, 1)
  assert.equal(fingerprint(folder, ['src', 'absent']), first)
  assert.notEqual(fingerprint(folder, ['src', 'absent'], 'another compiler'), first)
  renameSync(join(folder, 'src', 'b'), join(folder, 'src', 'c'))
  const renamed = fingerprint(folder, ['src', 'absent'])
  assert.notEqual(renamed, first)
  writeFileSync(join(folder, 'src', 'c'), 'TWO')
  assert.notEqual(fingerprint(folder, ['src', 'absent']), renamed)
})

test('invalid stamps are ignored', (t) => {
  const folder = freshFolder(t)
  assert.deepEqual(readStamps(folder), {})
  writeStamps(folder, { engine: { inputs: 'a', outputs: 'b' } })
  assert.deepEqual(readStamps(folder), { engine: { inputs: 'a', outputs: 'b' } })
  writeFileSync(join(folder, 'node_modules', '.cache', 'forge-memory', 'setup.json'), '{"engine":')
  assert.deepEqual(readStamps(folder), {})
})

test('where the databases are left for later, the engine is built without them', (t) => {
  const names = (later) => stepsNow(freshFolder(t), later).map(({ name }) => name)
  assert.deepEqual(names(['engine', 'addons']), ['engine alone', 'packages', 'programs'])
  assert.deepEqual(names([]), ['packages', 'engine', 'programs', 'addons'])
})

test('a failing set-up step shows its output without colours', async (t) => {
  const said = []
  t.mock.method(console, 'error', (text) => said.push(text))
  t.mock.method(console, 'log', () => undefined)
  const script = `for (let at = 0; at < 100; at += 1) console.log('line ' + at); console.error('\\u001b[31mred\\u001b[0m'); process.exit(3)`
  const step = { command: process.execPath, args: ['-e', script] }
  await assert.rejects(run('[1/1] trying', step, root), {
    message: /^\[1\/1\] trying failed after [\d.]+ s \(exit 3\)$/,
  })
  const lines = said.join('\n').split('\n')
  assert.ok(lines.includes('  | line 0') && lines.includes('  | line 99') && lines.includes('  | red'), said.join('\n'))
  assert.ok(lines.length < 60)
})

test('without Rust the answer is what to install', () => {
  const env = { ...process.env, PATH: '', Path: '' }
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts', 'test.mjs')], { encoding: 'utf8', env })
  assert.equal(status, 1)
  assert.match(stderr, /^error: Rust is needed to build the engine, but cargo was not found\nhint: install it from /)
})

/** A program that notes when it begins, does something, and notes when it is done. */
const noting = (work) => `#!${process.execPath}
const { appendFileSync, existsSync, mkdirSync, writeFileSync } = require('node:fs')
const note = (text) => appendFileSync(process.env.NOTES, text + '\\n')
const until = (isDone, then) => (isDone() ? then() : setImmediate(until, isDone, then))
${work}
`

/** An empty clone, and what its set-up starts: a compiler that waits until everything beside it is done. */
function emptyClone(t, { npm = '' } = {}) {
  const folder = freshFolder(t)
  for (const part of ['scripts', 'package.json', 'package-lock.json', 'Cargo.toml', 'docs/reference/cli.md'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  const host = /^host: (.+)$/m.exec(spawnSync('rustc', ['-vV'], { encoding: 'utf8' }).stdout)[1]
  const program = (path, work) => {
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, noting(work))
    chmodSync(path, 0o755)
  }
  const built = `target/${host}/release`
  program(
    join(folder, 'bin', 'cargo'),
    `if (process.argv[2] === '--version') process.exit(0)
    note('cargo ' + process.argv.slice(2).join(' '))
    const isBeside = () => existsSync('dist/cli/main.js') || process.env.NPM_FAILS
    until(isBeside, () => {
      mkdirSync('${built}', { recursive: true })
      for (const name of ['libforge_memory.so', 'libforge_memory.dylib']) writeFileSync('${built}/' + name, 'engine')
      note('cargo is done')
    })`,
  )
  program(
    join(folder, 'bin', 'npm'),
    `${npm}
    note('npm ' + process.argv[2])
    mkdirSync('node_modules', { recursive: true })
    writeFileSync('node_modules/.package-lock.json', '{}')`,
  )
  writeFileSync(
    join(folder, 'scripts', 'build-js.mjs'),
    `import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
    appendFileSync(process.env.NOTES, 'TypeScript' + (existsSync('node_modules') ? '' : ' without packages') + '\\n')
    mkdirSync('dist/cli', { recursive: true })
    writeFileSync('dist/cli/main.js', 'console.log("served", ...process.argv.slice(2, 3))')`,
  )
  const env = {
    ...process.env,
    NOTES: join(folder, 'notes'),
    PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
  }
  delete env.npm_execpath
  const start = (args = [], more = {}) =>
    spawnSync(process.execPath, [join(folder, 'scripts', 'start.mjs'), ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...env, INIT_CWD: folder, ...more },
      timeout: 60_000,
    })
  const notes = () => (existsSync(env.NOTES) ? readFileSync(env.NOTES, 'utf8').trim().split('\n') : [])
  return { start, notes }
}

const isPosix = process.platform !== 'win32'

test('a start compiles the engine while packages are installed and TypeScript is compiled, and then serves', (t) => {
  if (!isPosix) return void t.diagnostic('the programs are scripts for a POSIX system')
  const { start, notes } = emptyClone(t)
  const { status, stdout, stderr } = start()
  assert.equal(status, 0, stdout + stderr)
  assert.match(stdout, /served serve/)
  const done = notes()
  assert.match(
    done.find((line) => line.startsWith('cargo build')),
    /--package forge-memory --release$/,
  )
  // Whichever of the two begins first: the compiler has waited for the others.
  assert.deepEqual(
    done.slice(0, 4).filter((line) => !line.startsWith('cargo build')),
    ['npm ci', 'TypeScript', 'cargo is done'],
  )
})

test('what fails beside the engine is said at once, and tried again', (t) => {
  if (!isPosix) return void t.diagnostic('the programs are scripts for a POSIX system')
  const { start, notes } = emptyClone(t, { npm: 'console.error("no network"); process.exit(1)' })
  const { status, stdout, stderr } = start([], { NPM_FAILS: 'yes' })
  assert.equal(status, 1, stdout + stderr)
  assert.match(stderr, /installing JavaScript packages failed .*; it is tried again after what is under way/)
  assert.match(stderr, /error: \[2\/3\] installing JavaScript packages failed/)
  assert.equal(notes().includes('TypeScript'), false)
})

test('a wrong argument is refused before anything is built', (t) => {
  if (!isPosix) return void t.diagnostic('the programs are scripts for a POSIX system')
  const { start, notes } = emptyClone(t)
  const { status, stderr } = start(['--prot', '1'])
  assert.equal(status, 1)
  assert.match(stderr, /npm start does not know --prot/)
  assert.deepEqual(notes(), [])
})
