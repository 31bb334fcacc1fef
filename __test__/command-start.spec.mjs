import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import Module from 'node:module'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand } from './support/command.mjs'

/** Writes at the end of the process which files and which parts of Node it has loaded. */
const WITNESS = `process.on('exit', () => {
  const { writeFileSync } = require('node:fs')
  const loaded = { files: Object.keys(require.cache), parts: process.moduleLoadList }
  writeFileSync(process.env.LOADED, JSON.stringify(loaded))
})`

function commandWithWitness(t) {
  // A script: whether one may speak as a person is looked up.
  const command = freshCommand(t, { FORGE_AS: '' })
  const [witness, report] = ['witness.cjs', 'loaded.json'].map((name) => join(command.folder, name))
  writeFileSync(witness, WITNESS)
  const loadedBy = (args) => {
    const { status, stderr } = command.run(args, { env: { NODE_OPTIONS: `--require ${witness}`, LOADED: report } })
    assert.equal(status, 0, stderr)
    const { files, parts } = JSON.parse(readFileSync(report, 'utf8'))
    const own = files
      .filter((file) => file !== witness)
      .map((file) => file.replaceAll('\\', '/').replace(/.*\/dist\//, ''))
    return { files: own, parts: parts.map((part) => part.replace('NativeModule ', '')) }
  }
  return { command, loadedBy }
}

/** What takes long to load, and is for other machines, other programs and terminals. */
const SLOW_PARTS = ['child_process', 'crypto', 'net', 'tty', 'stream', 'worker_threads']
const SLOW_FILES = /^openbrain\/|^cli\/(table|wrap|picker|edit)\.js|node_modules/

test('find and status load only what they need', (t) => {
  const { command, loadedBy } = commandWithWitness(t)
  command.run(['add', '-t', 'lesson', 'Queues are drained in batches of ten.'])
  // What an agent's configuration has is no store, but for a server of that name.
  const servers = (name) => JSON.stringify({ mcpServers: { [name]: { url: 'http://127.0.0.1:9' } } })
  writeFileSync(join(command.project, '.mcp.json'), servers('forge-memory'))
  const find = loadedBy(['find', 'queues'])
  assert.deepEqual(
    find.parts.filter((part) => SLOW_PARTS.includes(part)),
    [],
  )
  assert.deepEqual(
    find.files.filter((file) => SLOW_FILES.test(file)),
    [],
  )
  assert.ok(find.files.length <= 10, find.files.join('\n'))
  writeFileSync(join(command.project, '.mcp.json'), servers('openbrain'))
  assert.ok(loadedBy(['find', 'queues']).files.includes('openbrain/client/team.js'))
  rmSync(join(command.project, '.mcp.json'))
  for (const name of ['status', 'doctor']) {
    const { files, parts } = loadedBy([name])
    const unwanted = files.filter((file) => /^openbrain\/(database|protocol)\.js/.test(file))
    assert.deepEqual(unwanted, [], name)
    // The program of git, which a doctor asks, takes Node's sockets along.
    if (name === 'status') assert.ok(!parts.includes('net'), parts.join('\n'))
  }
})

/** Says of every call that the engine counts the memory. */
const COUNTED = `const { dlopen } = process
process.dlopen = (module, ...rest) => {
  dlopen.call(process, module, ...rest)
  const { memoryStatus } = module.exports
  if (memoryStatus) module.exports.memoryStatus = (...args) => (console.error('counted'), memoryStatus(...args))
}`

test('the page of a day counts the memory once', (t) => {
  const command = freshCommand(t)
  const counter = join(command.folder, 'counter.cjs')
  writeFileSync(counter, COUNTED)
  const { status, stderr } = command.run(['status', '--today'], { env: { NODE_OPTIONS: `--require ${counter}` } })
  assert.deepEqual([status, stderr], [0, 'counted\n'])
})

test('help and the version do without the engine', (t) => {
  const { loadedBy } = commandWithWitness(t)
  for (const words of [['--version'], ['--help'], ['help', 'share']]) {
    const { files } = loadedBy(words)
    assert.deepEqual(
      files.filter((file) => file.endsWith('.node')),
      [],
      files.join(' '),
    )
  }
})

/** Says which folder a command hands to Node, whatever this release of Node makes of it. */
const KEEPER = `require('node:module').enableCompileCache = (folder) => console.error('kept in ' + folder)`

function folderKept(command) {
  const keeper = join(command.folder, 'keeper.cjs')
  writeFileSync(keeper, KEEPER)
  const { status, stdout, stderr } = command.run(['--version'], { env: { NODE_OPTIONS: `--require ${keeper}` } })
  assert.equal(status, 0)
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/)
  return /kept in (.*)/.exec(stderr)?.[1]
}

test("compiled code is kept in the user's own folder, where nobody else can write", (t) => {
  const command = freshCommand(t)
  const folder = join(command.home, 'code-cache')
  assert.equal(folderKept(command), folder)
  assert.equal(folderKept(command), folder)
  if (process.platform === 'win32') return
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  chmodSync(folder, 0o770)
  assert.equal(folderKept(command), undefined)
  chmodSync(folder, 0o700)
  chmodSync(command.home, 0o777)
  assert.equal(folderKept(command), undefined)
})

test('compiled code is kept nowhere else: not behind a link, and not where there is no folder of the user', (t) => {
  const linked = freshCommand(t)
  const elsewhere = join(linked.folder, 'elsewhere')
  mkdirSync(elsewhere, { mode: 0o700 })
  symlinkSync(elsewhere, join(linked.home, 'code-cache'), 'junction')
  assert.equal(folderKept(linked), undefined)
  assert.deepEqual(readdirSync(elsewhere), [])
  const homeless = freshCommand(t, { FORGE_AS: '' })
  assert.equal(folderKept(homeless), undefined)
  assert.ok(!existsSync(homeless.home))
})

test('a command answers the same with compiled code, without it, and with what is none', (t) => {
  const command = freshCommand(t)
  const folder = join(command.home, 'code-cache')
  const answers = [command.run(['--help'])]
  const kept = () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  // Releases of Node that keep nothing answer from the text alone.
  if (Module.enableCompileCache !== undefined) assert.ok(kept().length > 0)
  answers.push(command.run(['--help']))
  if (existsSync(folder)) {
    for (const { parentPath, name } of kept()) writeFileSync(join(parentPath, name), 'not compiled code')
  }
  answers.push(command.run(['--help']))
  for (const answer of answers) assert.deepEqual(answer, answers[0])
  assert.equal(answers[0].status, 0)
})
