import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
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
const SLOW_FILES = /^openbrain\/(database|protocol|answered)\.js|^cli\/(table|wrap|picker|edit)\.js|node_modules/

test('find and status load only what they need', (t) => {
  const { command, loadedBy } = commandWithWitness(t)
  command.run(['add', '-t', 'lesson', 'Queues are drained in batches of ten.'])
  const find = loadedBy(['find', 'queues'])
  assert.deepEqual(
    find.parts.filter((part) => SLOW_PARTS.includes(part)),
    [],
  )
  assert.deepEqual(
    find.files.filter((file) => SLOW_FILES.test(file)),
    [],
  )
  assert.ok(find.files.length <= 16, find.files.join('\n'))
  for (const name of ['status', 'doctor']) {
    const { files, parts } = loadedBy([name])
    const unwanted = files.filter((file) => /^openbrain\/(database|protocol)\.js/.test(file))
    assert.deepEqual(unwanted, [], name)
    // The program of git, which a doctor asks, takes Node's sockets along.
    if (name === 'status') assert.ok(!parts.includes('net'), parts.join('\n'))
  }
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
