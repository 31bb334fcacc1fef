// Two users on one machine: a memory that another user owns or may write is refused, as git refuses a repository of another user.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, giveLeave } from './support/command.mjs'

/** The user `nobody`, of whom nothing has to be set up. */
const OTHER = 65_534
const canBeTwo =
  process.getuid?.() === 0 && spawnSync('setpriv', ['--reuid', String(OTHER), '--clear-groups', 'true']).status === 0
const skip = canBeTwo ? false : 'only root can be two users'

/** A machine with a folder that everybody may write. */
function machine(t) {
  const command = freshCommand(t)
  chmodSync(command.folder, 0o755)
  const shared = join(command.folder, 'shared')
  const home = join(command.folder, 'me')
  for (const folder of [shared, join(home, 'code')]) mkdirSync(folder, { recursive: true })
  chmodSync(shared, 0o1777)
  const env = { HOME: home, FORGE_HOME: join(home, '.forge'), TMPDIR: join(command.folder, 'tmp') }
  giveLeave(env.FORGE_HOME)
  const run = (cwd, args, more = {}) => command.run(args, { cwd, env: { ...env, ...more } })
  return { ...command, run, shared, home }
}

/** Gives a folder and what is in it to the other user. */
const give = (path) => execFileSync('chown', ['-R', `${OTHER}:${OTHER}`, path])

function repository(folder) {
  mkdirSync(folder, { recursive: true })
  execFileSync('git', ['init', '-q'], { cwd: folder })
  return folder
}

const capture = (m, cwd, more) => m.run(cwd, ['capture', '-t', 'lesson', 'The secret of CI is in vault seven.'], more)

function assertRefused(m, cwd, more) {
  const { status, stderr } = capture(m, cwd, more)
  assert.equal(status, 1)
  assert.match(stderr, /\(FOREIGN_FOLDER\)\nhint: .*trust --folder/)
  assert.match(m.run(cwd, ['recall', 'vault'], more).stderr, /\(FOREIGN_FOLDER\)/)
  assert.equal(m.run(cwd, ['hook', 'SessionStart', '--host', 'claude'], more).stdout, '')
}

test('the memory of another user in a shared parent folder gets nothing of ours', { skip }, (t) => {
  const m = machine(t)
  mkdirSync(join(m.shared, '.forge'))
  writeFileSync(join(m.shared, '.forge/memory-captures.jsonl'), '')
  writeFileSync(join(m.shared, '.forge.json'), '{"redact":false}')
  for (const path of ['.forge', '.forge.json']) give(join(m.shared, path))
  chmodSync(join(m.shared, '.forge'), 0o777)
  const repo = repository(join(m.shared, 'repo'))
  assert.equal(capture(m, repo).status, 0, 'a repository of ours below it')
  assert.ok(existsSync(join(repo, '.forge/memory-captures.jsonl')))
  mkdirSync(join(m.shared, 'loose'))
  assertRefused(m, join(m.shared, 'loose'))
  assertRefused(m, m.shared)
  assert.equal(readFileSync(join(m.shared, '.forge/memory-captures.jsonl'), 'utf8'), '')
})

test('a repository of another user is refused until git or we are told that it is safe', { skip }, (t) => {
  const m = machine(t)
  const repo = repository(join(m.shared, 'theirs'))
  give(repo)
  assertRefused(m, repo)
  assert.equal(capture(m, repo, { SUDO_UID: String(OTHER) }).status, 0, 'root for the user who ran sudo')
  const second = repository(join(m.shared, 'second'))
  give(second)
  assertRefused(m, second)
  writeFileSync(join(m.home, '.gitconfig'), `[safe]\n\tdirectory = ${second}\n`)
  assert.equal(capture(m, second).status, 0, 'safe.directory')
  const third = repository(join(m.shared, 'third'))
  mkdirSync(join(third, '.forge'))
  give(third)
  assertRefused(m, third)
})

const canMount = canBeTwo && spawnSync('unshare', ['--mount', 'true']).status === 0

test('a mount with another owner, as in a container, is refused until git is told that it is safe', {
  skip: canMount ? false : 'only who has the right can mount',
}, (t) => {
  const m = machine(t)
  const theirs = repository(join(m.folder, 'on-the-host'))
  give(theirs)
  const mounted = m.project
  const env = m.env({ HOME: m.home, FORGE_HOME: join(m.home, '.forge') })
  const inContainer = (...args) => {
    const words = ['--mount', 'sh', '-c', 'mount --bind "$0" "$1" && cd "$1" && shift && exec "$@"', theirs, mounted]
    return spawnSync('unshare', [...words, process.execPath, m.program, ...args], { encoding: 'utf8', env })
  }
  const words = ['capture', '-t', 'lesson', 'The secret of CI is in vault seven.']
  const refused = inContainer(...words)
  assert.deepEqual([refused.status, /\(FOREIGN_FOLDER\)\nhint: .*trust --folder/.test(refused.stderr)], [1, true])
  assert.match(inContainer('recall', 'vault').stderr, /\(FOREIGN_FOLDER\)/)
  assert.equal(existsSync(join(theirs, '.forge')), false)
  writeFileSync(join(m.home, '.gitconfig'), `[safe]\n\tdirectory = ${mounted}\n`)
  const stored = inContainer(...words)
  assert.equal(stored.status, 0, stored.stderr)
  assert.ok(existsSync(join(theirs, '.forge/memory-captures.jsonl')))
})

test('trust --folder is the way out, for this folder alone', { skip }, (t) => {
  const m = machine(t)
  for (const name of ['one', 'two']) {
    mkdirSync(join(repository(join(m.shared, name)), '.forge'))
    chmodSync(join(m.shared, name, '.forge'), 0o777)
    assertRefused(m, join(m.shared, name))
  }
  const [one, two] = ['one', 'two'].map((name) => join(m.shared, name))
  assert.equal(m.run(one, ['trust', '--folder']).status, 2, 'it asks')
  assert.match(m.run(one, ['trust', '--folder', '--yes']).stdout, /Memories of .*one may be kept in .*one\/\.forge/)
  assert.equal(capture(m, one).status, 0)
  assertRefused(m, two)
  assert.equal(m.run(two, ['trust', '--yes']).status, 0, 'trust asks for it as well')
  assert.equal(capture(m, two).status, 0)
})

test('a memory that other users may write is refused in a whole sentence', { skip }, (t) => {
  const m = machine(t)
  const repo = repository(join(m.shared, 'open'))
  assert.equal(capture(m, repo).status, 0)
  chmodSync(join(repo, '.forge'), 0o777)
  const { stderr } = m.run(repo, ['capture', '-t', 'lesson', 'Another secret'])
  assert.match(stderr, /\.forge may be written by other users, so the memory of .* is not used \(FOREIGN_FOLDER\)/)
})

test('what one user captures in a temporary folder, the other does not read', { skip }, (t) => {
  const m = machine(t)
  const folder = join(m.shared, 'work')
  mkdirSync(folder)
  assert.equal(capture(m, folder).status, 0)
  const theirs = join(m.folder, 'theirs')
  mkdirSync(theirs)
  give(theirs)
  const as = ['--reuid', String(OTHER), '--regid', String(OTHER), '--clear-groups', process.execPath, m.program]
  const env = m.env({ HOME: theirs, FORGE_HOME: join(theirs, '.forge') })
  const recalled = spawnSync('setpriv', [...as, 'recall', 'vault'], { cwd: folder, encoding: 'utf8', env })
  assert.equal(recalled.status, 1)
  assert.match(recalled.stderr, /\(FOREIGN_FOLDER\)/)
  chownSync(join(folder, '.forge'), OTHER, OTHER)
  assertRefused(m, folder)
})
