import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import test from 'node:test'
import { missingTypes } from '../scripts/addons/declared-types.mjs'
import { whileClaimed } from '../scripts/setup/claim.mjs'
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

test('where the rest is left for later, the engine is built without the packages', (t) => {
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
  const folder = join(freshFolder(t), 'a clone with spaces')
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
  const command = (args) => [process.execPath, [join(folder, 'scripts', 'start.mjs'), ...args]]
  const options = (more) => ({ cwd: folder, encoding: 'utf8', env: { ...env, INIT_CWD: folder, ...more } })
  const start = (args = [], more = {}) => spawnSync(...command(args), { ...options(more), timeout: 60_000 })
  const startBeside = async () => {
    const child = spawn(...command([]), options({}))
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
    const status = await new Promise((done) => child.once('close', done))
    return { status, said }
  }
  const notes = () => (existsSync(env.NOTES) ? readFileSync(env.NOTES, 'utf8').trim().split('\n') : [])
  return { start, startBeside, notes, folder }
}

const isPosix = process.platform !== 'win32'

test('a start compiles the engine while packages are installed and TypeScript is compiled, and then serves', (t) => {
  if (!isPosix) return void t.diagnostic('the programs are scripts for a POSIX system')
  const { start, notes } = emptyClone(t)
  const { status, stdout, stderr } = start()
  assert.equal(status, 0, stdout + stderr)
  assert.match(stdout, /served serve/)
  assert.match(stdout, /^\[1\/2\] building the engine .*\.\.\.$/m)
  assert.match(stdout, /^\[2\/2\] serving the dashboard: .*\nnext, in another terminal: npm link /m)
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
  assert.match(stderr, /error: installing JavaScript packages, once more failed/)
  assert.equal(notes().includes('TypeScript'), false)
})

test('two starts at once in one clone set it up once, and both serve', async (t) => {
  if (!isPosix) return void t.diagnostic('the programs are scripts for a POSIX system')
  const { startBeside, notes } = emptyClone(t)
  const both = await Promise.all([startBeside(), startBeside()])
  for (const { status, said } of both) assert.deepEqual([status, /^served serve$/m.test(said)], [0, true], said)
  for (const once of ['npm ci', 'TypeScript']) assert.equal(notes().filter((line) => line === once).length, 1, once)
})

test('a start that was killed does not keep the next one waiting', async (t) => {
  const folder = freshFolder(t)
  const claim = new URL('../scripts/setup/claim.mjs', import.meta.url).href
  const program = `import { whileClaimed } from ${JSON.stringify(claim)}
    await whileClaimed(${JSON.stringify(folder)}, () => process.kill(process.pid, 'SIGKILL'))`
  const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program])
  if (isPosix) assert.deepEqual([signal, readdirSync(join(folder, 'target'))], ['SIGKILL', ['setup.sock']])
  assert.equal(await whileClaimed(folder, () => 'done'), 'done')
})

test('a full disk is named, and leaves what is committed as it was', (t) => {
  if (!isPosix) return void t.diagnostic('the programs are scripts for a POSIX system')
  const full =
    'console.error("error: could not write output: No space left on device (os error 28)"); process.exit(101)'
  const { start, folder } = emptyClone(t, { npm: full })
  const before = fingerprint(folder, ['scripts', 'docs', 'package.json', 'package-lock.json', 'Cargo.toml'])
  const { status, stderr } = start([], { NPM_FAILS: 'yes' })
  assert.equal(status, 1)
  assert.match(stderr, /^hint: the disk is full: .* run the same command again/m)
  assert.doesNotMatch(stderr, /^ {4}at /m)
  assert.equal(fingerprint(folder, ['scripts', 'docs', 'package.json', 'package-lock.json', 'Cargo.toml']), before)
})

test('index.d.ts has what the sources declare, and a build that lacks some of it is noticed', () => {
  const types = readFileSync(join(root, 'index.d.ts'), 'utf8')
  assert.deepEqual(missingTypes(root, types), [])
  const partial = types.replace('export interface AgentStanding', '').replace('function writeServerPorts(', '')
  assert.deepEqual(missingTypes(root, partial), ['writeServerPorts', 'AgentStanding'].sort())
  assert.ok(missingTypes(root, '').length > 100)
})

test('only crates that napi has compiled again use its macros', () => {
  const crates = ['.', ...readdirSync(join(root, 'crates')).map((name) => join('crates', name))]
  const using = crates.filter((crate) => {
    const manifest = join(root, crate, 'Cargo.toml')
    return existsSync(manifest) && /^napi-derive\b/m.test(packageOf(manifest))
  })
  assert.deepEqual(using, ['.'])
  for (const crate of using) assert.match(readFileSync(join(root, crate, 'build.rs'), 'utf8'), /napi_build::setup\(\)/)
})

/** A manifest without what it says of the whole workspace. */
const packageOf = (manifest) => readFileSync(manifest, 'utf8').split('\n[workspace')[0]

test('a wrong argument is refused before anything is built', (t) => {
  if (!isPosix) return void t.diagnostic('the programs are scripts for a POSIX system')
  const { start, notes } = emptyClone(t)
  const { status, stderr } = start(['--prot', '1'])
  assert.equal(status, 1)
  assert.match(stderr, /npm start does not know --prot/)
  assert.deepEqual(notes(), [])
})
