// Where a project is: thirty starts, and what is read and written there.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { freshCommand } from './support/command.mjs'
import { isWindows } from './support/memory.mjs'
import { filesUnder } from './support/project.mjs'

const IDENTITY = ['user.name=a', 'user.email=a@b', 'protocol.file.allow=always', 'init.defaultBranch=main']

function git(folder, ...args) {
  const settings = IDENTITY.flatMap((option) => ['-c', option])
  return execFileSync('git', [...settings, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
}

function repository(folder, name) {
  const path = join(folder, name)
  mkdirSync(path, { recursive: true })
  git(path, 'init', '-q')
  git(path, 'commit', '-q', '--allow-empty', '-m', 'first')
  return path
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** A machine: a home folder with everything in it, and a root of temporary folders. */
function machine(t) {
  const command = freshCommand(t)
  const home = join(command.folder, 'me')
  const tmp = join(command.folder, 'tmp')
  for (const folder of [join(home, 'code'), tmp]) mkdirSync(folder, { recursive: true })
  const env = { HOME: home, USERPROFILE: home, TMPDIR: tmp, TEMP: tmp, TMP: tmp, FORGE_HOME: join(home, '.forge') }
  const run = (cwd, args, more = {}) => command.run(args, { cwd, env: { ...env, ...more } })
  const journals = () => filesUnder(command.folder).filter((path) => path.endsWith('.forge/memory-captures.jsonl'))
  return { ...command, environment: command.env(env), home, tmp, code: join(home, 'code'), env, run, journals }
}

/** Captures in a folder; returns the folder whose `.forge` was written, below the machine's, or the code of the error. */
function captureAt(machine, cwd, { args = [], env = {} } = {}) {
  const before = new Map(machine.journals().map((path) => [path, readFileSync(join(machine.folder, path), 'utf8')]))
  const word = `w${Math.random().toString(36).slice(2)}`
  const { status, stderr } = machine.run(cwd, ['capture', '-t', 'lesson', ...args, `The ${word} is here.`], env)
  const after = machine
    .journals()
    .filter((path) => readFileSync(join(machine.folder, path), 'utf8') !== before.get(path))
  if (status !== 0) {
    assert.deepEqual(after, [], stderr)
    const recalled = machine.run(cwd, ['recall', word, ...args], env)
    assert.equal(recalled.status, 1, 'recall says so as well')
    return /\((\w+)\)/.exec(recalled.stderr)?.[1]
  }
  assert.equal(after.length, 1, after.join())
  const { stdout } = machine.run(cwd, ['recall', word, ...args], env)
  assert.match(stdout, new RegExp(word), 'what was stored is found from the same place')
  return after[0].slice(0, -'/.forge/memory-captures.jsonl'.length)
}

test('thirty starts, and where each reads and writes', async (t) => {
  const m = machine(t)
  const bank = repository(m.code, 'bank')
  mkdirSync(join(bank, 'apps/web/src'), { recursive: true })
  write(join(bank, 'apps/api/.forge.json'), '{}')
  mkdirSync(join(bank, 'apps/api/src'))
  // A memory in a folder of repositories is not theirs.
  mkdirSync(join(m.code, '.forge'))
  mkdirSync(join(m.code, 'notes/deep'), { recursive: true })
  git(bank, 'worktree', 'add', '-q', '-b', 'fix', join(m.code, 'bank-fix'))
  mkdirSync(join(m.code, 'bank-fix/apps/api/src'), { recursive: true })
  const shop = repository(m.code, 'shop')
  mkdirSync(join(shop, '.forge'))
  writeFileSync(join(shop, '.forge/.gitignore'), '/openbrain-*\n')
  writeFileSync(join(shop, '.forge/lessons.jsonl'), '')
  git(shop, 'add', '-A')
  git(shop, 'commit', '-q', '-m', 'memory')
  git(shop, 'worktree', 'add', '-q', '-b', 'fix', join(m.code, 'shop-fix'))
  const lib = repository(m.code, 'lib')
  git(shop, 'submodule', '--quiet', 'add', lib, 'vendor/lib')
  git(shop, 'submodule', '--quiet', 'add', lib, 'vendor/named')
  writeFileSync(join(shop, '.forge.json'), '{"scopes":{"named":["vendor/named"]}}')
  mkdirSync(join(shop, 'vendor/inner/.git'), { recursive: true })
  git(m.code, 'clone', '-q', '--bare', lib, 'bare.git')
  git(join(m.code, 'bare.git'), 'worktree', 'add', '-q', '-b', 'one', join(m.code, 'of-bare'))
  mkdirSync(join(m.code, 'broken'))
  writeFileSync(join(m.code, 'broken/.git'), 'gitdir: /no/such/folder\n')
  mkdirSync(join(m.code, 'broken/src'))
  symlinkSync(bank, join(m.code, 'linked'), 'junction')
  mkdirSync(join(m.home, '.git'))
  mkdirSync(join(m.home, 'loose'))
  mkdirSync(join(m.home, '.cache/plug-in'), { recursive: true })
  repository(m.home, '.config/editor')
  mkdirSync(join(m.tmp, '.forge'))
  mkdirSync(join(m.tmp, 'work'))
  repository(m.tmp, 'clone')
  mkdirSync(join(m.folder, 'other/.forge'), { recursive: true })
  writeFileSync(join(m.folder, 'other/.forge/machine.key'), 'x')

  const code = (path) => join(m.code, path)
  const starts = [
    ['the top of a repository', bank, 'me/code/bank'],
    ['a folder of it', code('bank/apps/web/src'), 'me/code/bank'],
    ['a package with settings of its own', code('bank/apps/api'), 'me/code/bank/apps/api'],
    ['a folder of that package', code('bank/apps/api/src'), 'me/code/bank/apps/api'],
    ['the folder of git', code('bank/.git/hooks'), 'me/code/bank'],
    ['its memory', code('bank/.forge'), 'me/code/bank'],
    ['a link to it', code('linked'), 'me/code/bank'],
    ['a folder of repositories with a memory', m.code, 'me/code'],
    ['a folder below that one, outside of git', code('notes/deep'), 'me/code'],
    ['a work tree of a repository without a committed memory', code('bank-fix'), 'me/code/bank'],
    ['a package of it, which the main checkout has', code('bank-fix/apps/api/src'), 'me/code/bank/apps/api'],
    ['a work tree with a committed memory', code('shop-fix'), 'me/code/shop-fix'],
    ['a submodule', code('shop/vendor/lib'), 'me/code/shop/vendor/lib'],
    ['a submodule that the settings around it name', code('shop/vendor/named'), 'me/code/shop'],
    ['a repository in another one', code('shop/vendor/inner'), 'me/code/shop/vendor/inner'],
    ['a bare repository', code('bare.git'), 'me/code/bare.git'],
    ['a folder of a bare repository', code('bare.git/hooks'), 'me/code/bare.git'],
    ['a work tree of a bare repository', code('of-bare'), 'me/code/bare.git'],
    ['a file .git that leads nowhere', code('broken/src'), 'me/code/broken'],
    ['the home folder, although it is a repository', m.home, 'NO_PROJECT'],
    ['a folder of the home folder', join(m.home, 'loose'), 'me/loose'],
    ['a hidden folder of it', join(m.home, '.cache/plug-in'), 'NO_PROJECT'],
    ['a repository in a hidden folder', join(m.home, '.config/editor'), 'me/.config/editor'],
    ["the user's own folder", join(m.home, '.forge'), 'NO_PROJECT'],
    ['the home folder of another account', join(m.folder, 'other'), 'NO_PROJECT'],
    ['the root of temporary folders, although it has a memory', m.tmp, 'NO_PROJECT'],
    ['a temporary folder', join(m.tmp, 'work'), 'tmp/work'],
    ['a repository in a temporary folder', join(m.tmp, 'clone'), 'tmp/clone'],
    ['the root of the file system', isWindows ? 'C:\\' : '/', 'NO_PROJECT'],
    ['the home folder, named', m.home, 'me', { args: ['--project', m.home] }],
    ['another folder, named from the home folder', m.home, 'me/code/bank', { args: ['--project', bank] }],
  ]
  assert.ok(starts.length >= 30)
  mkdirSync(code('bank/.forge'))
  for (const [what, cwd, expected, options] of starts) {
    await t.test(what, () => assert.equal(captureAt(m, cwd, options), expected))
  }
})

test('an error says what to do, and hooks stay silent', (t) => {
  const m = machine(t)
  const { status, stderr } = m.run(m.home, ['capture', '-t', 'lesson', 'The shop uses PostgreSQL 16.'])
  assert.equal(status, 1)
  assert.match(stderr, /is not a project: it is a home folder \(NO_PROJECT\)\nhint: .*--project.*git init/)
  for (const event of ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'Stop', 'SessionEnd']) {
    const payload = {
      hook_event_name: event,
      session_id: 's',
      cwd: m.home,
      prompt: 'PostgreSQL',
      transcript_path: '/no',
    }
    const said = { last_assistant_message: '[remember:decision] It is PostgreSQL.' }
    const hook = command(m, ['hook', event, '--host', 'claude'], JSON.stringify({ ...payload, ...said }))
    assert.deepEqual([hook.status, hook.stdout, hook.stderr], [0, '', ''], event)
  }
  assert.deepEqual(m.journals(), [])
  assert.equal(m.run(m.home, ['store', 'check']).status, 0, 'the shared store is that of all projects')
  assert.equal(m.run(m.home, ['pause', '--everywhere']).status, 0)
  assert.equal(m.run(m.home, ['resume']).status, 0)
})

const command = (m, args, input) =>
  spawnSync(process.execPath, [m.program, ...args], { cwd: m.home, input, encoding: 'utf8', env: m.environment })

test('a capture in a folder of repositories is not read by the repositories in it', (t) => {
  const m = machine(t)
  mkdirSync(join(m.code, 'shop'))
  const bank = repository(m.code, 'bank')
  assert.equal(m.run(m.code, ['capture', '-t', 'decision', 'The shop uses PostgreSQL 16 on port 6543']).status, 0)
  assert.doesNotMatch(m.run(bank, ['recall', 'PostgreSQL port']).stdout, /6543/)
  assert.equal(m.run(bank, ['init', '--agent', 'claude', '--scope', 'project', '--yes']).status, 0)
  assert.deepEqual(
    filesUnder(m.code).filter((path) => /^(?!bank\/|\.forge\/)/.test(path)),
    [],
  )
  assert.ok(existsSync(join(bank, '.claude')))
})
