// A branch is no loss: what a commit of another branch has is silent in every command, one note in `doctor`, and never written elsewhere.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, hasLost, listConflicts, listLost, listMemories } from '../dist/index.js'
import { freshCommand, json } from './support/command.mjs'
import { useHome } from './support/home.mjs'

const OPTIONS = ['user.name=a', 'user.email=a@b', 'init.defaultBranch=main', 'commit.gpgsign=false']
const LOG = '.forge/memory-captures.jsonl'

function repository(t) {
  const command = freshCommand(t)
  useHome(t, command.home)
  const gitIn = (cwd, ...args) =>
    execFileSync('git', [...OPTIONS.flatMap((option) => ['-c', option]), ...args], {
      cwd,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  const git = (...args) => gitIn(command.project, ...args)
  const options = { projectDir: command.project }
  const capture = (body) => captureMemory({ type: 'lesson', body }, { ...options, author: 'person' }).id
  const commit = (message) => {
    git('add', '-A')
    git('commit', '-qm', message)
  }
  const texts = () =>
    listMemories({ ...options, limit: 100 })
      .entries.map(({ text }) => text)
      .sort()
  git('init', '-q')
  capture('The base of the parser')
  commit('base')
  git('checkout', '-q', '-b', 'feat')
  capture('The lexer keeps its own offset table')
  commit('feat')
  return { ...command, git, gitIn, options, capture, commit, texts }
}

const ofDoctor = ({ run }) => JSON.parse(run(['--json', 'doctor']).stdout)

/** Nothing is said or written; `doctor` has one note when something is elsewhere. */
function assertSilent(command, elsewhere) {
  const { run, git, options } = command
  for (const args of [['status'], ['list'], ['find', 'parser']]) assert.equal(run(args).stderr, '', args[0])
  assert.deepEqual([hasLost(options), listLost(options)], [false, []])
  const found = ofDoctor(command)
  const notes = found.filter(({ code }) => code === 'OTHER_BRANCH')
  assert.deepEqual(
    notes.map(({ severity, message }) => [severity, Number(/: (\d+) of the records/.exec(message)?.[1])]),
    elsewhere === 0 ? [] : [['ok', elsewhere]],
  )
  assert.ok(found.every(({ code }) => code !== 'LOST_RECORDS'))
  const before = git('status', '--porcelain', '--untracked-files=no')
  const { stdout } = run(['doctor', '--fix', '--yes'])
  assert.doesNotMatch(stdout, /Brought back/)
  assert.equal(git('status', '--porcelain', '--untracked-files=no'), before, stdout)
}

test('a record of another branch is not lost on this one, and comes back with its branch', (t) => {
  const command = repository(t)
  const { git, texts } = command
  git('checkout', '-q', 'main')
  assertSilent(command, 1)
  assert.deepEqual(texts(), ['The base of the parser'])
  git('checkout', '-q', 'feat')
  assertSilent(command, 0)
  assert.deepEqual(texts(), ['The base of the parser', 'The lexer keeps its own offset table'])
})

test('what was decided on another branch is not lost either', (t) => {
  const command = repository(t)
  const { git, commit, run, texts } = command
  const [base] = listMemories(command.options).entries.filter(({ text }) => /base/.test(text))
  assert.equal(run(['forget', base.id, '--yes']).status, 0)
  commit('forgotten on feat')
  git('checkout', '-q', 'main')
  assertSilent(command, 2)
  assert.deepEqual(texts(), ['The base of the parser'])
})

/** Ways to stand at another commit than that with the record. Each returns how to go back. */
const STANDS = {
  'a detached head': ({ git }) => {
    git('checkout', '-q', 'feat~1')
    return () => git('checkout', '-q', 'feat')
  },
  'a bisection': ({ git, commit, project }) => {
    for (const name of ['one', 'two', 'three']) {
      writeFileSync(join(project, name), name)
      commit(name)
    }
    git('bisect', 'start', 'HEAD', 'feat~4')
    git('checkout', '-q', 'feat~4')
    return () => git('bisect', 'reset')
  },
  'a tag, whose branch is gone': ({ git }) => {
    git('tag', '-a', 'v1', '-m', 'one')
    git('checkout', '-q', 'main')
    git('branch', '-D', 'feat')
    return () => git('checkout', '-q', 'v1')
  },
  'packed refs': ({ git }) => {
    git('checkout', '-q', 'main')
    git('pack-refs', '--all')
    git('gc', '-q')
    return () => git('checkout', '-q', 'feat')
  },
}

for (const [name, stand] of Object.entries(STANDS)) {
  test(`nothing is lost at ${name}`, (t) => {
    const command = repository(t)
    const back = stand(command)
    assertSilent(command, 1)
    back()
    assert.deepEqual(command.texts(), ['The base of the parser', 'The lexer keeps its own offset table'])
  })
}

test('in the middle of a rebase and of a cherry-pick nothing is lost, and both go on', (t) => {
  const command = repository(t)
  const { git, project, commit, texts } = command
  writeFileSync(join(project, 'code'), 'feat')
  commit('code of feat')
  command.capture('The formatter runs last')
  commit('a third lesson')
  git('checkout', '-q', 'main')
  writeFileSync(join(project, 'code'), 'main')
  commit('code of main')
  git('checkout', '-q', 'feat')
  const code = git('rev-parse', 'feat~1').trim()
  assert.throws(() => git('rebase', 'main'))
  assertSilent(command, 1)
  writeFileSync(join(project, 'code'), 'both')
  git('add', 'code')
  git('-c', 'core.editor=true', 'rebase', '--continue')
  assert.equal(texts().length, 3)
  assertSilent(command, 0)
  git('checkout', '-q', 'main')
  assertSilent(command, 2)
  assert.throws(() => git('cherry-pick', code))
  assertSilent(command, 2)
  git('cherry-pick', '--abort')
  git('checkout', '-q', 'feat')
})

test('a stash of another branch is on that branch; one of this branch has taken its records away', (t) => {
  const command = repository(t)
  const { git, capture, run, texts } = command
  capture('The stash has a lesson')
  git('stash', '-q')
  git('checkout', '-q', 'main')
  assertSilent(command, 2)
  git('checkout', '-q', 'feat')
  assert.match(run(['status']).stderr, /records that were stored here are not in \.forge any more/)
  assert.match(run(['doctor', '--fix', '--yes']).stdout, /Brought back 1 record/)
  assert.equal(texts().length, 3)
})

test('what no commit has is brought back, beside what another branch has', (t) => {
  const command = repository(t)
  const { git, capture, run, texts } = command
  git('checkout', '-q', 'main')
  capture('The formatter runs last')
  git('checkout', '-q', '--', '.forge')
  assert.match(run(['list']).stderr, /are not in \.forge any more/)
  assert.match(run(['doctor', '--fix', '--yes']).stdout, /Brought back 1 record/)
  assert.deepEqual(texts(), ['The base of the parser', 'The formatter runs last'])
})

test('a merge that dropped the records of the other side has lost them', (t) => {
  const command = repository(t)
  const { git, run, texts } = command
  git('checkout', '-q', 'main')
  git('merge', '-q', '-s', 'ours', '--no-edit', 'feat')
  assert.match(run(['list']).stderr, /are not in \.forge any more/)
  assert.match(run(['doctor', '--fix', '--yes']).stdout, /Brought back 1 record/)
  assert.equal(texts().length, 2)
})

test('a work tree that is removed leaves what it has committed on its branch', (t) => {
  const command = repository(t)
  const { git, gitIn, run, project, texts } = command
  git('checkout', '-q', 'main')
  const tree = join(project, '..', 'tree')
  git('worktree', 'add', '-q', tree, 'feat')
  const options = { projectDir: tree }
  captureMemory({ type: 'lesson', body: 'The printer escapes every sign' }, options)
  gitIn(tree, 'commit', '-qam', 'in the tree')
  captureMemory({ type: 'lesson', body: 'The reader skips a byte order mark' }, options)
  git('worktree', 'remove', '--force', tree)
  // The next command brings back what was captured there.
  assert.equal(run(['list']).status, 0)
  assert.deepEqual(texts(), ['The base of the parser', 'The reader skips a byte order mark'])
  command.commit('brought back')
  assertSilent(command, 1)
  git('checkout', '-q', 'feat')
})

test('a shallow clone has no more than its commits, and says nothing of the others', (t) => {
  const command = repository(t)
  const { git, gitIn, project } = command
  git('checkout', '-q', 'main')
  const clone = join(project, '..', 'clone')
  gitIn(project, 'clone', '-q', '--depth', '1', '--no-single-branch', `file://${project}`, clone)
  const at = (...args) => command.run([...args, '--project', clone])
  assert.equal(at('list').stderr, '')
  captureMemory({ type: 'lesson', body: 'Only the clone knows this' }, { projectDir: clone })
  gitIn(clone, 'checkout', '-q', '-b', 'own')
  gitIn(clone, 'commit', '-qam', 'own')
  gitIn(clone, 'checkout', '-q', 'main')
  assert.equal(at('list').stderr, '')
  assert.doesNotMatch(at('doctor', '--fix', '--yes').stdout, /Brought back/)
  gitIn(clone, 'checkout', '-q', 'own')
})

for (const [ours, theirs] of [
  ['main', 'feat'],
  ['feat', 'main'],
]) {
  test(`a merge of ${theirs} into ${ours} without the driver succeeds, or doctor resolves it and loses nothing`, (t) => {
    const command = repository(t)
    const { git, run, capture, commit, texts } = command
    git('checkout', '-q', 'main')
    capture('The formatter runs last')
    commit('main')
    git('checkout', '-q', ours)
    assert.throws(
      () => git('merge', '-q', '--no-edit', theirs),
      ({ stdout }) => /CONFLICT/.test(stdout),
    )
    const { stdout, stderr } = run(['status'])
    assert.match(`${stderr}${stdout}`.split('\n')[0], /conflict markers.*forge-memory doctor --fix/)
    assert.match(run(['doctor', '--fix', '--yes']).stdout, /healed memory-captures\.jsonl: 1 conflict/)
    commit('merged')
    assert.equal(texts().length, 3)
    assertSilent(command, 0)
    git('checkout', '-q', ours === 'main' ? 'feat' : 'main')
  })
}

test('two edits of one record on two branches are a conflict in the review, with both texts', (t) => {
  const command = repository(t)
  const { git, run, commit, options } = command
  const edit = (text) =>
    json(command, ['edit', listMemories(options).entries.find((one) => /base/i.test(one.text)).id, text])
  edit('The base of the parser is recursive')
  commit('edited on feat')
  git('checkout', '-q', 'main')
  edit('The base of the parser is a table')
  commit('edited on main')
  assert.throws(() => git('merge', '-q', '--no-edit', 'feat'))
  run(['doctor', '--fix', '--yes'])
  const [conflict, ...others] = listConflicts(options)
  assert.deepEqual(others, [])
  assert.deepEqual(
    [conflict.newer.text, conflict.older.text],
    ['The base of the parser is a table', 'The base of the parser is recursive'],
  )
  const { stdout } = run(['review', '--conflicts'])
  assert.match(stdout, /is a table[\s\S]*is recursive/)
  assert.match(stdout, /changed on two branches/)
  assert.ok(
    ofDoctor(command).some(({ code, hint }) => code === 'CONFLICTING_REVISIONS' && /review --conflicts/.test(hint)),
  )
  json(command, ['review', '--resolve', conflict.newer.id, conflict.older.id, '--holds', 'older'])
  assert.deepEqual(listConflicts(options), [])
  assert.ok(ofDoctor(command).every(({ code }) => code !== 'CONFLICTING_REVISIONS'))
  run(['doctor', '--fix', '--yes'])
  assert.deepEqual(listConflicts(options), [], 'what was decided is not asked again')
})

test('revisions that a union of lines left beside each other are put before the review', (t) => {
  const command = repository(t)
  const { project, options, run } = command
  const { id } = listMemories(options).entries.find(({ text }) => /base/.test(text))
  const raw = join(project, LOG)
  const before = readFileSync(raw, 'utf8')
  json(command, ['edit', id, 'The base of the parser is recursive'])
  const one = readFileSync(raw, 'utf8')
  writeFileSync(raw, before)
  json(command, ['edit', id, 'The base of the parser is a table'])
  writeFileSync(raw, `${one}${readFileSync(raw, 'utf8').slice(before.length)}`)
  assert.deepEqual(listConflicts(options), [])
  run(['doctor', '--fix', '--yes'])
  assert.equal(listConflicts(options).length, 1)
})

test('a folder without git, and a repository without commits, say nothing', (t) => {
  const command = freshCommand(t)
  useHome(t, command.home)
  const options = { projectDir: command.project }
  captureMemory({ type: 'lesson', body: 'Before git' }, options)
  assert.equal(hasLost(options), false)
  mkdirSync(join(command.project, '..', 'empty'))
  execFileSync('git', ['init', '-q'], { cwd: command.project })
  captureMemory({ type: 'lesson', body: 'After git' }, options)
  rmSync(join(command.project, LOG))
  assert.equal(hasLost(options), true)
})
