// What was stored and is no longer in the work tree: it is noticed, said, and brought back when the user agrees.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { captureMemory, hasLost, listLost, resolveConflict, restoreLost } from '../dist/index.js'
import { freshCommand, json } from './support/command.mjs'
import { useHome } from './support/home.mjs'
import { expired, filesUnder } from './support/project.mjs'

const WRITER = new URL('./support/children/writes-on.mjs', import.meta.url)
const OPTIONS = ['user.name=a', 'user.email=a@b', 'init.defaultBranch=main', 'commit.gpgsign=false']

function repository(t) {
  const command = freshCommand(t)
  useHome(t, command.home)
  const git = (...args) =>
    execFileSync('git', [...OPTIONS.flatMap((option) => ['-c', option]), ...args], {
      cwd: command.project,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  git('init', '-q')
  const capture = (text, ...more) => json(command, ['capture', '--type', 'lesson', ...more, text])
  const texts = () =>
    json(command, ['list', '--limit', '100'])
      .entries.map(({ text }) => text)
      .sort()
  return { ...command, git, capture, texts, options: { projectDir: command.project } }
}

const WARNING = /records that were stored here are not in \.forge any more/

/** Ways in which git takes the file of the records back to an earlier state. */
const LOSSES = {
  'git stash': ({ git }) => git('stash', '-q'),
  'git checkout of the file': ({ git }) => git('checkout', '-q', '--', '.forge/memory-captures.jsonl'),
  'git reset --hard': ({ git }) => git('reset', '-q', '--hard'),
  'a file that is removed': ({ project }) => rmSync(join(project, '.forge/memory-captures.jsonl')),
}

for (const [name, lose] of Object.entries(LOSSES)) {
  for (const isDelivered of [false, true]) {
    test(`${name} is noticed by the next command, and undone on demand${isDelivered ? ' after a delivery' : ''}`, (t) => {
      const command = repository(t)
      command.capture('The first lesson is committed')
      command.git('add', '-A')
      command.git('commit', '-qm', 'first')
      command.capture('The second lesson is not')
      const { id } = command.capture('The third lesson is wrong')
      command.capture('The third lesson is right', '--supersedes', id)
      const gone = command.capture('The fourth lesson is forgotten')
      json(command, ['forget', gone.id, '--yes'])
      if (isDelivered) json(command, ['drain'])
      const before = command.texts()
      assert.equal(hasLost(command.options), false)
      lose(command)
      for (const args of [
        ['status'],
        ['list'],
        ['recall', 'lesson'],
        ['capture', '-t', 'lesson', 'A lesson of afterwards'],
      ]) {
        assert.match(command.run(args).stderr, WARNING, args[0])
      }
      const finding = JSON.parse(command.run(['--json', 'doctor']).stdout).find(({ code }) => code === 'LOST_RECORDS')
      const lost = listLost(command.options)
      assert.match(finding.message, new RegExp(`^${lost.length} records`))
      assert.ok(lost.every(({ text }) => !/fourth/.test(text)))
      const { stdout } = command.run(['doctor', '--fix', '--yes'])
      assert.match(stdout, new RegExp(`Brought back ${lost.length} record`))
      assert.deepEqual(command.texts(), [...before, 'A lesson of afterwards'].sort())
      for (const args of [['status'], ['list'], ['recall', 'lesson']]) assert.equal(command.run(args).stderr, '')
      assert.deepEqual(listLost(command.options), [])
      // Nothing is delivered twice.
      json(command, ['drain'])
      const found = json(command, ['search', 'lesson', '--limit', '50']).thoughts.map(({ content }) => content)
      assert.equal(new Set(found).size, found.length)
    })
  }
}

/** Starts a process that captures whenever it is asked to. `end` returns the ids of what was acknowledged. */
function startWriter(t, command, from) {
  const child = spawn(process.execPath, [fileURLToPath(WRITER), command.project, from], { env: command.env() })
  t.after(() => child.kill('SIGKILL'))
  let printed = ''
  child.stdout.on('data', (data) => {
    printed += data
  })
  const end = async () => {
    child.stdin.end()
    await once(child, 'close')
    return JSON.parse(printed)
  }
  return { ask: (count) => child.stdin.write('.'.repeat(count)), end }
}

test('nothing that was acknowledged beside a rebase is lost', async (t) => {
  const command = repository(t)
  writeFileSync(join(command.project, '.gitattributes'), '*.jsonl merge=union\n')
  const commit = (name) => {
    command.capture(`The ${name} lesson is committed`)
    command.git('add', '-A')
    command.git('commit', '-qm', name)
  }
  for (const name of ['first', 'second', 'third']) commit(name)
  command.git('checkout', '-q', '-b', 'topic', 'HEAD~2')
  for (const name of ['fourth', 'fifth']) commit(name)
  const writers = ['0', '1000000'].map((from) => startWriter(t, command, from))
  /** Runs git while both write. What they add meanwhile can make it refuse any step. */
  const beside = async (...args) => {
    const child = spawn('git', [...OPTIONS.flatMap((option) => ['-c', option]), ...args], { cwd: command.project })
    for (const { ask } of writers) ask(2)
    const [code] = await once(child, 'close')
    return code === 0
  }
  let rebased = 0
  for (let round = 0; round < 30; round += 1) {
    const onto = round % 2 === 0 ? 'main' : 'main~1'
    if (await beside('rebase', '-q', '--autostash', '--onto', onto, 'topic~2', 'topic')) rebased += 1
    else if (!(await beside('rebase', '--abort'))) await beside('rebase', '--quit')
    await beside('reset', '-q', '--hard', 'topic')
  }
  const ids = (await Promise.all(writers.map(({ end }) => end()))).flat()
  assert.ok(rebased > 0, 'git has rebased')
  const { stdout } = command.run(['doctor', '--fix', '--yes'])
  const known = new Set(json(command, ['list', '--limit', '1000']).entries.map(({ id }) => id))
  assert.deepEqual([ids.length > 100, ids.filter((id) => !known.has(id))], [true, []], stdout)
  assert.deepEqual(listLost(command.options), [])
})

/** Everything that git can take away: a record, a pattern, and what was decided about records that are committed. */
const TAKES = {
  'git stash': ({ git }) => git('stash', '-qu'),
  'git checkout of the folder': ({ git }) => git('checkout', '-q', '--', '.forge'),
  'git clean -fdx': ({ git }) => {
    git('reset', '-q', '--hard')
    git('clean', '-fdxq')
  },
  'a folder that is removed': ({ project }) => rmSync(join(project, '.forge'), { recursive: true }),
}

for (const [name, take] of Object.entries(TAKES)) {
  test(`${name} takes patterns, undelivered records and decisions: noticed, and undone on demand`, (t) => {
    const command = repository(t)
    const save = (text) => json(command, ['add', '-t', 'test_command', text])
    const replaced = command.capture('The API listens on port 8080')
    const forgotten = command.capture('The intern likes tea')
    const wrong = save('Tests run with --maxWorkers=1')
    command.git('add', '-A')
    command.git('commit', '-qm', 'first')
    command.capture('The API listens on port 9090', '--supersedes', replaced.id)
    json(command, ['forget', forgotten.id, '--yes'])
    json(command, ['forget', wrong.id, '--yes'])
    save('Tests run with --maxWorkers=2')
    const edited = command.capture('A lesson with a mistkae')
    json(command, ['edit', edited.id, 'A lesson without a mistake'])
    const before = command.texts()
    assert.deepEqual(before, [
      'A lesson without a mistake',
      'Tests run with --maxWorkers=2',
      'The API listens on port 9090',
    ])
    assert.equal(hasLost(command.options), false)
    take(command)
    for (const args of [['status'], ['list'], ['recall', 'tests']]) assert.match(command.run(args).stderr, WARNING)
    const lost = listLost(command.options)
    const finding = JSON.parse(command.run(['--json', 'doctor']).stdout).find(({ code }) => code === 'LOST_RECORDS')
    assert.match(finding.message, new RegExp(`^${lost.length} records`))
    const { stdout } = command.run(['doctor', '--fix', '--yes'])
    assert.match(stdout, new RegExp(`Brought back ${lost.length} record`))
    assert.deepEqual(command.texts(), before)
    assert.equal(json(command, ['verify']).ok, true)
    assert.deepEqual([listLost(command.options), hasLost(command.options)], [[], false])
    assert.deepEqual(restoreLost(command.options), [], 'once')
    assert.equal(json(command, ['drain']).dlq, 0)
  })
}

/** What is said about records that stay: that two contradict each other, that they are compatible after all, and whether one was of use. */
const SAID = {
  conflicts: ({ raw, git, contradict }) => {
    contradict()
    const whole = readFileSync(raw, 'utf8')
    writeFileSync(raw, whole.replace(/^.*"_action":"conflict".*\n/gm, ''))
    git('add', '-A')
    git('commit', '-qm', 'only the records')
    writeFileSync(raw, whole)
  },
  holds: ({ git, contradict, options }) => {
    const [id, other] = contradict()
    git('add', '-A')
    git('commit', '-qm', 'in conflict')
    resolveConflict({ id, with: other, holds: 'both' }, { ...options, author: 'person' })
  },
  feedback: ({ git, contradict, run }) => {
    const [id] = contradict()
    git('add', '-A')
    git('commit', '-qm', 'in conflict')
    assert.equal(run(['useful', id]).status, 0)
    assert.equal(run(['wrong', id]).status, 0)
  },
}

for (const [name, say] of Object.entries(SAID)) {
  test(`git checkout takes ${name} about records that stay: noticed, and undone on demand`, (t) => {
    const command = repository(t)
    const raw = join(command.project, '.forge/memory-captures.jsonl')
    const contradict = () =>
      [
        ['The API listens on port 8080', 'person'],
        ['The API listens on port 9090', 'agent'],
      ].map(([body, author]) => captureMemory({ type: 'decision', body }, { ...command.options, author }).id)
    const state = () =>
      json(command, ['list']).entries.map(({ id, contradictedBy = [] }) => {
        const { verdicts } = json(command, ['show', id])
        return { id, contradictedBy: contradictedBy.map((other) => other.id), verdicts }
      })
    say({ ...command, raw, contradict })
    const before = state()
    assert.equal(before.length, 2)
    assert.equal(hasLost(command.options), false)
    command.git('checkout', '-q', '--', '.forge')
    assert.notDeepEqual(state(), before)
    assert.match(command.run(['status']).stderr, WARNING)
    const finding = JSON.parse(command.run(['--json', 'doctor']).stdout).find(({ code }) => code === 'LOST_RECORDS')
    assert.match(finding.message, /^[12] records/)
    assert.match(command.run(['doctor', '--fix', '--yes']).stdout, /Brought back/)
    assert.deepEqual(state(), before)
    assert.deepEqual([listLost(command.options), hasLost(command.options)], [[], false])
  })
}

test('nothing that was acknowledged beside stash, checkout and clean is lost', async (t) => {
  const command = repository(t)
  command.capture('The first lesson is committed')
  command.git('add', '-A')
  command.git('commit', '-qm', 'first')
  command.git('branch', 'topic')
  const writers = ['0', '1000000'].map((from) => startWriter(t, command, from))
  const taken = { stash: 0, checkout: 0, clean: 0, pop: 0 }
  const beside = async (name, ...args) => {
    const child = spawn('git', [...OPTIONS.flatMap((option) => ['-c', option]), ...args], { cwd: command.project })
    for (const { ask } of writers) ask(2)
    const [code] = await once(child, 'close')
    if (code === 0) taken[name] += 1
  }
  for (let round = 0; round < 12; round += 1) {
    await beside('stash', 'stash', '-qu')
    await beside('pop', 'stash', 'pop', '-q')
    await beside('checkout', 'checkout', '-qf', round % 2 === 0 ? 'topic' : 'main')
    await beside('clean', 'clean', '-fdxq')
  }
  const ids = (await Promise.all(writers.map(({ end }) => end()))).flat()
  assert.ok(taken.stash > 0 && taken.checkout > 0 && taken.clean > 0, JSON.stringify(taken))
  const { stdout } = command.run(['doctor', '--fix', '--yes'])
  const known = new Set(json(command, ['list', '--limit', '1000']).entries.map(({ id }) => id))
  assert.deepEqual([ids.length > 50, ids.filter((id) => !known.has(id))], [true, []], stdout)
  assert.deepEqual(listLost(command.options), [])
})

test('another repository at the same place is not offered what the first one had', (t) => {
  const command = repository(t)
  command.capture('The vault of the first project')
  json(command, ['add', '-t', 'convention', 'The first project uses tabs'])
  for (const name of ['.git', '.forge']) rmSync(join(command.project, name), { recursive: true })
  command.git('init', '-q')
  assert.deepEqual([listLost(command.options), command.run(['list']).stderr], [[], ''])
  command.capture('The vault of the second project')
  assert.equal(command.run(['list']).stderr, '')
})

test('what a compaction or a redaction has removed is in no copy', (t) => {
  const command = repository(t)
  const gone = command.capture('The intern likes tea')
  json(command, ['forget', gone.id, '--yes'])
  command.capture('A lesson that stays')
  const copies = () =>
    filesUnder(join(command.home, 'copies')).map((name) => readFileSync(join(command.home, 'copies', name), 'utf8'))
  assert.match(copies().join(), /intern.*stays/s)
  json(command, ['compact', '--yes'])
  assert.doesNotMatch(copies().join(), /intern/)
  assert.match(copies().join(), /stays/)
})

test('what git clean has taken with its queue comes back from the own shared store, also without the copies', (t) => {
  const command = repository(t)
  for (const text of ['Commits are signed', 'Branches are short']) {
    json(command, ['add', '-t', 'convention', '--scope', 'global', text])
  }
  command.capture('The first lesson', '--tag', 'kept')
  const { id } = command.capture('The second lesson is wrong')
  command.capture('The second lesson is right', '--supersedes', id)
  const gone = command.capture('The third lesson is forgotten')
  json(command, ['drain'])
  json(command, ['forget', gone.id, '--yes'])
  json(command, ['drain'])
  const before = json(command, ['list']).entries
  command.git('clean', '-fdxq')
  rmSync(join(command.home, 'copies'), { recursive: true })
  const ABSENT = /2 records of this project are in ~\/\.forge\/openbrain\.db and not here/
  for (const args of [['status'], ['list'], ['recall', 'lesson']]) assert.match(command.run(args).stderr, ABSENT)
  const codes = JSON.parse(command.run(['--json', 'doctor']).stdout).map(({ code }) => code)
  assert.ok(codes.includes('ABSENT_RECORDS'), codes.join())
  const { read, imported, lost, format } = json(command, ['import', join(command.home, 'openbrain.db')])
  assert.deepEqual([read, imported, lost, format], [2, 2, 0, 'openbrain.db'])
  assert.deepEqual(json(command, ['list']).entries, before)
  for (const args of [['status'], ['list'], ['recall', 'lesson']]) assert.equal(command.run(args).stderr, '')
  json(command, ['drain'])
  assert.equal(json(command, ['search', 'lesson']).thoughts.length, 2)
})

test('a record of another branch is no loss, which nothing would bring back', (t) => {
  const command = repository(t)
  command.capture('The first lesson')
  const commit = (message) => {
    command.git('add', '.')
    command.git('commit', '-q', '-m', message)
  }
  commit('one')
  const [branch] = command.git('branch', '--show-current').split('\n')
  command.git('checkout', '-q', '-b', 'feat')
  command.capture('The lesson of a branch')
  commit('two')
  json(command, ['drain'])
  command.git('checkout', '-q', branch)
  for (const args of [['status'], ['list'], ['recall', 'lesson']]) assert.equal(command.run(args).stderr, '', args[0])
  const codes = JSON.parse(command.run(['--json', 'doctor']).stdout).map(({ code }) => code)
  assert.ok(codes.includes('OTHER_BRANCH') && !codes.includes('ABSENT_RECORDS'), codes.join())
})

test('a new project of the same folder name is not offered the records of another one', (t) => {
  const command = repository(t)
  command.capture('The first lesson of this project')
  json(command, ['drain'])
  const other = freshCommand(t, { FORGE_HOME: command.home })
  assert.equal(other.run(['list']).stderr, '')
})

test('what is compacted, expired or came with a clone is not lost', (t) => {
  const command = repository(t)
  command.capture('A lesson that stays')
  const gone = command.capture('A lesson that is forgotten')
  json(command, ['forget', gone.id, '--yes'])
  const edited = command.capture('A lesson with a mistkae')
  json(command, ['edit', edited.id, 'A lesson without a mistake'])
  const yesterday = { type: 'lesson', body: 'A lesson of yesterday' }
  expired((more) => captureMemory({ ...yesterday, ...more }, command.options).id)
  json(command, ['drain'])
  json(command, ['compact', '--yes'])
  assert.deepEqual(listLost(command.options), [])
  // The queue of a clone holds records that this machine did not write.
  const queue = join(command.project, '.forge/openbrain-queue.jsonl')
  const line = {
    _v: 1,
    _status: 'pending',
    id: 'mem_1',
    content: 'Never verify signatures',
    type: 'decision',
    project: 'x',
  }
  writeFileSync(queue, `${JSON.stringify(line)}\n{"broken\n`, { flag: 'a' })
  assert.deepEqual([listLost(command.options), hasLost(command.options)], [[], false])
  assert.deepEqual(restoreLost(command.options), [])
})

test('what is brought back is the record as it was, byte by byte, and is known as own again', (t) => {
  const command = repository(t)
  const raw = join(command.project, '.forge/memory-captures.jsonl')
  command.capture('Umlauts äöü, "quotes" and \\ survive', '--tag', 'odd tag')
  command.capture('So does this one')
  const before = readFileSync(raw, 'utf8').split('\n').filter(Boolean).sort()
  writeFileSync(raw, '')
  assert.equal(restoreLost(command.options).length, 2)
  assert.deepEqual(readFileSync(raw, 'utf8').split('\n').filter(Boolean).sort(), before)
  rmSync(join(command.project, '.forge/openbrain-queue.jsonl'))
  assert.equal(json(command, ['drain']).delivered, 2)
})
