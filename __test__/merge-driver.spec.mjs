// Real merges of git in which the program of the driver cannot run: both sides stay, whatever happens.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory } from '../dist/index.js'
import { freshCommand, json } from './support/command.mjs'

/** Runs git without the settings of the user who runs the tests. */
function git(command, ...args) {
  const env = { ...command.env(), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  const settings = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'commit.gpgsign=false']
  const run = spawnSync('git', [...settings, ...args], { cwd: command.project, env, encoding: 'utf8' })
  return { status: run.status, text: `${run.stdout}${run.stderr}` }
}

const LOG = '.forge/memory-captures.jsonl'
const driverOf = (command) => git(command, 'config', 'merge.forge-memory.driver').text.trimEnd()

/** A checkout that `init` has set up, with a branch on which something else was captured. */
function branches(t) {
  const command = freshCommand(t)
  const capture = (body) => captureMemory({ type: 'convention', body }, { projectDir: command.project })
  const inGit = (...args) => {
    const { status, text } = git(command, ...args)
    assert.equal(status, 0, text)
  }
  inGit('init', '-q', '-b', 'main')
  json(command, ['init', '--scope', 'project', '--agent', 'cursor', '--yes'])
  capture('Common ground.')
  inGit('add', '-A')
  inGit('commit', '-qm', 'base')
  inGit('checkout', '-qb', 'other')
  capture('Learned on the branch.')
  inGit('commit', '-qam', 'other')
  inGit('checkout', '-q', 'main')
  capture('Learned meanwhile.')
  inGit('commit', '-qam', 'main')
  return { command, inGit }
}

const all = ['Common ground.', 'Learned meanwhile.', 'Learned on the branch.']
const texts = (command) =>
  json(command, ['list'])
    .entries.map(({ text }) => text)
    .sort()

/** Puts a program in the place of the real one in the driver that `init` has set. */
function withProgram(command, program) {
  const rest = driverOf(command).split(' merge-driver ')[1]
  git(command, 'config', 'merge.forge-memory.driver', `${program} merge-driver ${rest}`)
}

const BROKEN = {
  'is not there': () => join('no', 'such', 'program'),
  'is a script that is not there': () => `"${process.execPath}" no/such/main.js`,
  fails: () => 'false',
  'is killed': (folder) => {
    writeFileSync(join(folder, 'killed.sh'), '#!/bin/sh\nkill -9 $$\n')
    chmodSync(join(folder, 'killed.sh'), 0o755)
    return join(folder, 'killed.sh')
  },
  'has no engine for this machine': (folder, { program }) => {
    // The program itself, without what it loads.
    mkdirSync(join(folder, 'dist', 'cli'), { recursive: true })
    writeFileSync(join(folder, 'dist', 'cli', 'main.js'), readFileSync(program))
    return `"${process.execPath}" "${join(folder, 'dist', 'cli', 'main.js')}"`
  },
}

test('the driver that init sets merges by record', (t) => {
  const { command, inGit } = branches(t)
  assert.doesNotMatch(driverOf(command), /npx/)
  inGit('merge', '-q', 'other')
  assert.deepEqual(texts(command), all)
  assert.equal(json(command, ['verify']).ok, true)
})

for (const [how, program] of Object.entries(BROKEN)) {
  test(`both sides stay when the program ${how}`, (t) => {
    const { command, inGit } = branches(t)
    withProgram(command, program(command.folder, command))
    inGit('merge', '-q', 'other')
    assert.deepEqual(texts(command), all)
    assert.doesNotMatch(readFileSync(join(command.project, LOG), 'utf8'), /^[<>=]{7}/m)
    assert.equal(json(command, ['verify']).ok, true)
  })
}

test('both sides stay, and git reports a conflict, when even its union merge fails', (t) => {
  const { command } = branches(t)
  withProgram(command, 'false')
  const line = driverOf(command).replace('git merge-file', 'false')
  git(command, 'config', 'merge.forge-memory.driver', line)
  const { status, text } = git(command, 'merge', '-q', 'other')
  assert.equal(status, 1, text)
  assert.match(text, /CONFLICT/)
  assert.deepEqual(texts(command), all)
})

test('a path with spaces, quotes and percent signs is a program as any other', (t) => {
  const command = freshCommand(t)
  const odd = join(command.folder, "it's 100%A")
  mkdirSync(odd)
  const inOdd = { ...command, project: odd }
  git(inOdd, 'init', '-q')
  const own = join(odd, 'node_modules/forge-memory/dist/cli')
  mkdirSync(own, { recursive: true })
  writeFileSync(join(own, 'main.js'), "require('fs').writeFileSync(process.argv[4], 'merged')\n")
  // A copy that the project has installed: git ignores it, and the lock file names it.
  writeFileSync(join(odd, '.gitignore'), 'node_modules/\n')
  const version = '0.1.0'
  writeFileSync(join(odd, 'node_modules/forge-memory/package.json'), JSON.stringify({ name: 'forge-memory', version }))
  const resolved = 'https://registry.example/forge-memory-0.1.0.tgz'
  const packages = { '': {}, 'node_modules/forge-memory': { version, resolved } }
  writeFileSync(join(odd, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }))
  assert.equal(command.run(['init', '--scope', 'project', '--agent', 'cursor', '--yes'], { cwd: odd }).status, 0)
  writeFileSync(join(odd, 'ours'), 'x')
  const line = driverOf(inOdd).replace('%O %A %B', 'base ours theirs').replaceAll('%%', '%')
  assert.equal(spawnSync('sh', ['-c', line], { cwd: odd }).status, 0)
  assert.equal(readFileSync(join(odd, 'ours'), 'utf8'), 'merged')
})

const findings = (command, code) => {
  const { stdout } = command.run(['doctor', '--json'])
  return JSON.parse(stdout).filter((finding) => finding.code === code)
}

test('doctor finds merge=forge-memory without a driver that works', (t) => {
  const { command } = branches(t)
  const found = () => findings(command, 'MERGE_DRIVER').map(({ severity, message }) => [severity, message])
  const set = (line) => git(command, 'config', 'merge.forge-memory.driver', line)
  const line = driverOf(command)
  assert.deepEqual(found(), [])
  const cases = [
    [
      line.replace(command.program, '/no/such/main.js'),
      'warning',
      /cannot run \(\/no\/such\/main\.js\): git makes a union/,
    ],
    ['/no/such/forge-memory merge-driver %O %A %B', 'problem', /would keep one side and drop the records of the other/],
    ['npx -y forge-memory merge-driver %O %A %B', 'problem', /whatever npx finds under that name/],
    [`"${process.execPath}" "${command.program}" merge-driver %O %A %B`, 'warning', /keeps only one side when/],
  ]
  for (const [driver, severity, message] of cases) {
    set(driver)
    const [[given, text]] = found()
    assert.equal(given, severity)
    assert.match(text, message)
  }
  git(command, 'config', '--remove-section', 'merge.forge-memory')
  assert.match(found()[0][1], /has no such driver/)
  json(command, ['init', '--scope', 'project', '--agent', 'cursor', '--yes'])
  assert.deepEqual(found(), [])
})

test('doctor finds a .gitignore that hides the memory', (t) => {
  const { command } = branches(t)
  const found = () => findings(command, 'MEMORY_IGNORED')
  assert.deepEqual(found(), [])
  const ignore = join(command.project, '.gitignore')
  const before = readFileSync(ignore, 'utf8')
  for (const rule of ['.forge/', '.forge', '*.jsonl', '/.forge/*']) {
    writeFileSync(ignore, `${before}\n${rule}\n`)
    const [finding] = found()
    assert.deepEqual([finding.severity, finding.subject], ['warning', '.gitignore'], rule)
    assert.ok(finding.message.includes(rule), finding.message)
  }
  writeFileSync(ignore, `*.jsonl\n!.forge/**\n`)
  assert.deepEqual(found(), [])
})
