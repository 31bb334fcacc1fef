import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, memoryStatus, projectNames } from '../dist/index.js'
import { freshCommand, json } from './support/command.mjs'
import { freshFolder, readLines } from './support/project.mjs'

const OPTIONS = ['user.name=a', 'user.email=a@b', 'protocol.file.allow=always', 'init.defaultBranch=main']

function git(folder, ...args) {
  const settings = OPTIONS.flatMap((option) => ['-c', option])
  return execFileSync('git', [...settings, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
}

const nameOf = (projectDir) => memoryStatus({ projectDir }).shortName
const identityOf = (projectDir) => memoryStatus({ projectDir }).projectName

function repository(folder, url) {
  mkdirSync(folder, { recursive: true })
  git(folder, 'init', '-q')
  if (url !== undefined) git(folder, 'remote', 'add', 'origin', url)
  return folder
}

test('clones under any name are shown as their remote names them', (t) => {
  const folder = freshFolder(t)
  for (const [url, name] of [
    ['https://someone:token@example.com/team/shop.git', 'shop'],
    ['https://example.com/team/shop/', 'shop'],
    ['ssh://git@example.com:2222/team/shop.git', 'shop'],
    ['git@example.com:team/shop.git', 'shop'],
    ['git@example.com:shop', 'shop'],
    ['/srv/git/shop.git', 'own'],
    ['../shop/.git', 'own'],
    ['C:\\git\\shop.git', 'own'],
    ['https://example.com', 'own'],
    ['https://example.com/', 'own'],
    ['..', 'own'],
    ['/', 'own'],
    ['.git', 'own'],
  ]) {
    const clone = repository(join(folder, url.replace(/\W/g, '-'), 'own'), url)
    assert.equal(nameOf(clone), name, url)
  }
})

test('a real clone, its work trees and the repository it came from agree', (t) => {
  const folder = freshFolder(t)
  const origin = repository(join(folder, 'shop'))
  git(origin, 'commit', '-q', '--allow-empty', '-m', 'first')
  git(folder, 'clone', '-q', origin, 'my-copy')
  const clone = join(folder, 'my-copy')
  git(clone, 'worktree', 'add', '-q', '-b', 'fix', join(folder, 'tree'))
  assert.deepEqual([origin, clone, join(folder, 'tree')].map(nameOf), ['shop', 'shop', 'shop'])
  assert.equal(new Set([origin, clone, join(folder, 'tree')].map(identityOf)).size, 1)
  assert.deepEqual(projectNames({ projectDir: join(folder, 'tree') }), [identityOf(origin)])
  mkdirSync(join(clone, 'packages/api/.forge'), { recursive: true })
  assert.equal(nameOf(join(clone, 'packages/api')), 'api', 'a project within a repository has its own name')
  writeFileSync(join(clone, '.forge.json'), '{"projectName":"market"}')
  assert.equal(nameOf(clone), 'market', 'the settings go before the remote')
  assert.deepEqual(projectNames({ projectDir: clone }), ['market'])
})

test('an address is read as git uses it, by insteadOf of the repository and of the user', (t) => {
  const command = freshCommand(t)
  const settings = join(command.folder, 'gitconfig')
  writeFileSync(settings, '[url "git@github.com:"]\n\tinsteadOf = gh:\n')
  repository(command.project, 'gh:acme/shop')
  const named = () => json(command, ['status'], { env: { GIT_CONFIG_GLOBAL: settings } }).projectName
  assert.equal(named(), 'github.com/acme/shop')
  // The longest counts.
  git(command.project, 'config', 'url.https://example.com/mirror/.insteadOf', 'gh:acme/')
  assert.equal(named(), 'example.com/mirror/shop')
  assert.match(
    git(command.project, '-c', `include.path=${settings}`, 'remote', 'get-url', 'origin'),
    /example\.com\/mirror\/shop/,
  )
})

test('settings that git includes for the folder of a repository count for it alone', (t) => {
  const command = freshCommand(t)
  const home = join(command.folder, 'me')
  mkdirSync(join(home, 'settings'), { recursive: true })
  writeFileSync(
    join(home, '.gitconfig'),
    '[includeIf "gitdir:~/work/"]\n\tpath = settings/work\n[includeIf "onbranch:main"]\n\tpath = settings/branch\n',
  )
  writeFileSync(join(home, 'settings/work'), '[url "git@git.example.com:"]\n\tinsteadOf = gh:\n')
  writeFileSync(join(home, 'settings/branch'), '[url "git@branch.example.com:"]\n\tinsteadOf = gh:\n')
  const named = (folder, env = {}) => {
    const cwd = repository(join(home, folder), 'gh:acme/shop')
    const options = { cwd, env: { ...env, HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: join(home, 'none') } }
    return json(command, ['status'], options).projectName
  }
  assert.equal(named('work/shop'), 'git.example.com/acme/shop')
  assert.equal(named('play/shop'), 'gh/acme/shop')
})

test('the remote origin takes precedence, then the first remote', (t) => {
  const folder = repository(join(freshFolder(t), 'own'), undefined)
  git(folder, 'remote', 'add', 'fork', 'https://example.com/me/fork.git')
  assert.equal(nameOf(folder), 'fork')
  git(folder, 'remote', 'add', 'origin', 'https://example.com/team/shop.git')
  // A process looks the settings of git up once.
  const other = repository(join(freshFolder(t), 'own'), undefined)
  git(other, 'remote', 'add', 'fork', 'https://example.com/me/fork.git')
  git(other, 'remote', 'add', 'origin', 'https://example.com/team/shop.git')
  assert.equal(nameOf(other), 'shop')
})

test('invalid files of git yield no name', (t) => {
  for (const config of [
    '',
    '[remote "origin"]\n\turl =\n',
    '[remote "origin"]\n\turl = "unended\n',
    '[remote "origin"\n\turl = https://example.com/shop\n',
    '[branch "origin"]\n\turl = https://example.com/shop\n',
    '[remote "origin"]\n\turl = https://example.com/sh\u0007op\n',
    `[remote "origin"]\n\turl = https://example.com/${'x'.repeat(200)}\n`,
    '# [remote "origin"]\n# url = https://example.com/shop\n',
    '\0'.repeat(100),
  ]) {
    const folder = join(freshFolder(t), 'own')
    mkdirSync(join(folder, '.git'), { recursive: true })
    writeFileSync(join(folder, '.git/config'), config)
    assert.equal(nameOf(folder), 'own', JSON.stringify(config))
  }
  const folder = join(freshFolder(t), 'own')
  mkdirSync(join(folder, '.git'), { recursive: true })
  execFileSync('mkfifo', [join(folder, '.git/config')])
  assert.equal(nameOf(folder), 'own', 'a FIFO keeps nobody waiting')
})

test('records under a former name are found, deduplicated and forgotten under the new name', (t) => {
  const command = freshCommand(t)
  const { project } = command
  git(project, 'init', '-q')
  const first = json(command, ['capture', '--type', 'lesson', 'Close the pool after the last reader has gone.'])
  assert.match(first.thought.project, /^local\/[0-9a-f]{12}\/project$/)
  json(command, ['drain'])
  git(project, 'remote', 'add', 'origin', 'https://example.com/team/shop.git')

  assert.equal(json(command, ['status']).projectName, 'example.com/team/shop')
  assert.equal(json(command, ['recall', 'pool']).hits.length, 1)
  assert.equal(json(command, ['list']).total, 1)
  for (const body of [
    'Close the pool after the last reader has gone.',
    'Close the pool after the very last reader has gone!',
  ]) {
    const again = json(command, ['capture', '--type', 'lesson', body])
    assert.deepEqual([again.deduped, again.duplicateOf], [true, first.id], body)
  }
  const second = json(command, ['capture', '--type', 'lesson', 'The pool opens with four readers.'])
  assert.equal(second.thought.project, 'example.com/team/shop')
  json(command, ['drain'])
  const found = (name) =>
    json(command, ['search', 'pool', '--project-name', name])
      .thoughts.map(({ id }) => id)
      .sort()
  assert.deepEqual(found('shop'), [first.id, second.id].sort())
  assert.deepEqual(found(first.thought.project), [first.id, second.id].sort())
  const { status, stderr } = command.run(['search', 'pool', '--project-name', 'another'])
  assert.deepEqual([status, /no thoughts of another are in the shared memory/.test(stderr)], [2, true], stderr)

  json(command, ['forget', first.id])
  assert.equal(json(command, ['drain']).dlq, 0)
  assert.deepEqual(found('shop'), [second.id])
  assert.equal(
    readLines(project, '.forge/memory-captures.jsonl')[0].project,
    first.thought.project,
    'no record is rewritten',
  )
})

test('the same text in another project is a separate record', (t) => {
  const project = repository(join(freshFolder(t), 'own'), 'https://example.com/team/shop.git')
  const capture = (name) =>
    captureMemory(
      { type: 'lesson', body: 'Close the pool last.', ...(name === undefined ? {} : { project: name }) },
      { projectDir: project },
    ).deduped
  assert.deepEqual([capture('own'), capture('another'), capture()], [false, false, true])
})

/** A command in a checkout of a repository, beside others of the same user. */
function checkout(command, name, url, settings) {
  const cwd = repository(join(command.folder, name), url)
  if (settings !== undefined) writeFileSync(join(cwd, '.forge.json'), JSON.stringify(settings))
  const run = (...args) => json(command, args, { cwd })
  const found = (query, ...more) => run('search', query, ...more).thoughts.map(({ content }) => content)
  return { cwd, run, found, capture: (text, ...more) => run('capture', '--type', 'lesson', ...more, text) }
}

test('two repositories of one name are two projects, also in the shared store', (t) => {
  const command = freshCommand(t)
  const acme = checkout(command, 'acme', 'git@github.com:acme/api.git')
  const mallory = checkout(command, 'mallory', 'https://github.com/mallory/api')
  const { id } = acme.capture('Webhooks are signed with the rotating key')
  acme.run('drain')
  assert.deepEqual(mallory.found('webhooks signed', '--project-name', 'api'), [])
  assert.deepEqual(acme.found('webhooks signed', '--project-name', 'api').length, 1)
  assert.deepEqual(acme.found('webhooks signed', '--project-name', 'github.com/acme/api').length, 1)
  // The other one cannot hide what it does not have.
  const hide = command.run(['capture', '--type', 'lesson', '--supersedes', id, 'Webhooks need no signature'], {
    cwd: mallory.cwd,
  })
  assert.match(hide.stderr, /belongs to the project github\.com\/acme\/api \(INVALID_INPUT\)/)
  const raw = readFileSync(join(acme.cwd, '.forge/memory-captures.jsonl'), 'utf8')
  mkdirSync(join(mallory.cwd, '.forge'), { recursive: true })
  writeFileSync(join(mallory.cwd, '.forge/memory-captures.jsonl'), raw)
  mallory.run('forget', id)
  mallory.run('drain')
  assert.deepEqual(acme.found('webhooks signed', '--project-name', 'api').length, 1)
})

test('people see the short name, and more where that is ambiguous', (t) => {
  const command = freshCommand(t)
  const acme = checkout(command, 'acme', 'git@github.com:acme/api.git')
  acme.capture('Webhooks are signed with the rotating key')
  acme.run('drain')
  const search = () => command.run(['search', 'webhooks'], { cwd: acme.cwd }).stdout
  assert.match(search(), /lesson {2}api {2}/)
  const mallory = checkout(command, 'mallory', 'https://github.com/mallory/api')
  mallory.capture('Webhooks arrive twice when the proxy is slow')
  mallory.run('drain')
  assert.match(search(), /lesson {2}acme\/api {2}/)
  assert.match(search(), /lesson {2}mallory\/api {2}/)
  const { stdout } = command.run(['status'], { cwd: acme.cwd })
  assert.match(stdout, /^project +api {2}/m)
  assert.match(stdout, /^identity +github\.com\/acme\/api$/m)
})

test('without a remote, folders of one name are two projects, and without git as well', (t) => {
  const command = freshCommand(t)
  const identities = ['a', 'b'].map((parent) => {
    mkdirSync(join(command.folder, parent))
    return identityOf(repository(join(command.folder, parent, 'api')))
  })
  for (const identity of identities) assert.match(identity, /^local\/[0-9a-f]{12}\/api$/)
  assert.notEqual(identities[0], identities[1])
  assert.match(identityOf(command.project), /^local\/[0-9a-f]{12}\/project$/)
})

test('a fork knows what it has from its origin: duplicates and changes are found, and the former name is written on demand', (t) => {
  const command = freshCommand(t)
  const acme = checkout(command, 'acme', 'git@github.com:acme/api.git')
  const first = acme.capture('The API listens on port 8080')
  const other = acme.capture('Webhooks are signed with the rotating key')
  const fork = checkout(command, 'fork', 'git@github.com:me/api.git')
  mkdirSync(join(fork.cwd, '.forge'))
  const raw = readFileSync(join(acme.cwd, '.forge/memory-captures.jsonl'), 'utf8')
  writeFileSync(join(fork.cwd, '.forge/memory-captures.jsonl'), raw)
  const again = fork.capture('Webhooks are signed with the rotating key')
  assert.deepEqual([again.deduped, again.duplicateOf], [true, other.id])
  const changed = fork.capture('The API listens on port 9090')
  assert.deepEqual(
    changed.retired.map(({ id }) => id),
    [first.id],
  )
  const finding = fork.run('doctor').find(({ code }) => code === 'FORMER_NAMES')
  assert.match(finding.message, /github\.com\/acme\/api/)
  writeFileSync(join(fork.cwd, '.forge.json'), '{\n  "review": "off"\n}\n')
  assert.equal(command.run(['doctor', '--fix', '--yes'], { cwd: fork.cwd }).status, 0)
  assert.deepEqual(
    fork.run('doctor').filter(({ code }) => code === 'FORMER_NAMES'),
    [],
  )
  const settings = JSON.parse(readFileSync(join(fork.cwd, '.forge.json'), 'utf8'))
  assert.deepEqual(settings, { review: 'off', formerNames: ['github.com/acme/api'] })
  // The records of the other project in the shared store are still its own.
  acme.run('drain')
  assert.deepEqual(fork.found('webhooks signed', '--project-name', 'api'), [])
})

test('a repository that is renamed between two captures stays one project', (t) => {
  const command = freshCommand(t)
  const project = checkout(command, 'shop', 'git@github.com:acme/shop.git')
  const first = project.capture('The pool opens with four readers')
  project.run('drain')
  git(project.cwd, 'remote', 'set-url', 'origin', 'git@gitlab.com:acme/market.git')
  const again = project.capture('The pool opens with four readers')
  assert.deepEqual([again.deduped, again.duplicateOf], [true, first.id])
  assert.equal(project.capture('Readers close before writers').thought.project, 'gitlab.com/acme/market')
  project.run('drain')
  assert.equal(project.found('pool readers', '--project-name', 'market').length, 2)
  assert.deepEqual(project.run('status').formerNames.slice(0, 1), ['github.com/acme/shop'])
})

test('a name of the settings that another project has is asked for once', (t) => {
  const command = freshCommand(t)
  const acme = checkout(command, 'acme', 'git@github.com:acme/api.git', { projectName: 'payments' })
  acme.capture('Webhooks are signed with the rotating key')
  acme.run('drain')
  for (const [name, settings, asks] of [
    ['one', { projectName: 'payments' }, 'projectName: payments'],
    ['two', { projectName: 'github.com/acme/api' }, 'projectName: github.com/acme/api'],
    ['three', { formerNames: ['payments'] }, 'formerNames: payments'],
  ]) {
    const clone = checkout(command, name, `git@github.com:mallory/${name}.git`, settings)
    assert.deepEqual(clone.found('webhooks', '--project-name', name), [], name)
    assert.deepEqual(clone.run('status').unapprovedNames, [asks])
    const taken = clone.run('doctor').filter(({ code }) => code === 'NAME_TAKEN')
    assert.equal(taken.length, asks.startsWith('projectName') ? 1 : 0)
    assert.equal(clone.capture(`What ${name} knows by itself`).thought.project, `github.com/mallory/${name}`)
    assert.match(command.run(['trust', '--yes'], { cwd: clone.cwd }).stdout, /share the records of the project/)
    assert.deepEqual(clone.run('status').unapprovedNames, [])
  }
  const own = checkout(command, 'again', 'https://github.com/acme/api', { projectName: 'payments' })
  assert.deepEqual(own.run('status').unapprovedNames, [], 'another clone of the same repository')
  assert.equal(own.run('status').projectName, 'payments')
})

test('what an earlier version stored under the short name stays found in this folder, and in no other', (t) => {
  const command = freshCommand(t)
  const acme = checkout(command, 'acme', 'git@github.com:acme/api.git')
  const old = acme.run('capture', '--type', 'lesson', 'Webhooks are signed with the rotating key')
  // As the version before has left it: its records are those of "api", and it has noted nothing.
  const short = (name) => {
    const path = join(acme.cwd, '.forge', name)
    if (!existsSync(path)) return
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('github.com/acme/api', 'api'))
  }
  rmSync(join(command.home, 'projects'), { recursive: true })
  short('memory-captures.jsonl')
  const again = acme.capture('Webhooks are signed with the rotating key')
  assert.deepEqual([again.deduped, again.duplicateOf], [true, old.id])
  assert.equal(acme.run('recall', 'webhooks').hits.length, 1)
})

test('remotes that name nothing, and files of git that lead nowhere, leave the folder its own identity', (t) => {
  const folder = freshFolder(t)
  for (const [number, url] of [
    'https://example.com',
    'https://me:secret@example.com/',
    'C:\\git\\shop.git',
    '/no/such',
  ].entries()) {
    const identity = identityOf(repository(join(folder, String(number), 'own'), url))
    assert.match(identity, /^local\/[0-9a-f]{12}\/own$/, url)
  }
  const broken = join(folder, 'broken', 'own')
  mkdirSync(broken, { recursive: true })
  writeFileSync(join(broken, '.git'), 'gitdir: /no/such/folder\n')
  assert.match(identityOf(broken), /^local\/[0-9a-f]{12}\/own$/)
  for (const url of ['https://me:secret@example.com/team/shop.git', 'ssh://git@EXAMPLE.com:2222/Team/Shop/']) {
    assert.equal(identityOf(repository(join(folder, url.replace(/\W/g, '-')), url)), 'example.com/team/shop')
  }
})
