// `undo` takes back what the user did last: one command a run, and nothing that has changed since.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import fc from 'fast-check'
import { freshCommand, json } from './support/command.mjs'
import { root } from './support/project.mjs'

function freshMemory(t) {
  const command = freshCommand(t)
  const capture = (text, ...args) => json(command, ['capture', '-t', 'lesson', ...args, text]).id
  const texts = () => json(command, ['list']).entries.map(({ text }) => text)
  const undo = () => json(command, ['undo'])
  const refused = (...args) => {
    const { status, stderr } = command.run(['undo', ...args])
    assert.equal(status > 0, true, stderr)
    return stderr
  }
  return { command, capture, texts, undo, refused }
}

/** Runs a call of the library in the project, and with the home, of a command. */
function asLibrary(command, call) {
  const source = `require(${JSON.stringify(join(root, 'index.js'))}).${call}`
  const { status, stderr } = spawnSync(process.execPath, ['-e', source], { cwd: command.project, env: command.env() })
  assert.equal(status, 0, String(stderr))
}

const FLAKY = 'The login test is flaky on Windows'
const SLOW = 'Builds take eleven minutes without a cache'

test('a capture is forgotten again, and a dry run only says so', (t) => {
  const { command, capture, texts, refused } = freshMemory(t)
  const id = capture(FLAKY)
  capture(SLOW)
  const dry = command.run(['undo', '--dry-run'])
  assert.match(
    dry.stdout,
    /^Would take back add of .*:\n\n[\s\S]* forgotten +Builds take eleven[\s\S]*Nothing was written\.\n$/,
  )
  assert.deepEqual(texts(), [SLOW, FLAKY])
  assert.match(command.run(['undo']).stdout, /^Took back add of .*:\n\n[\s\S]*forgotten +Builds take/)
  assert.deepEqual(texts(), [FLAKY])
  assert.deepEqual(json(command, ['undo']).changes, [{ did: 'forget', id, text: FLAKY, now: id }])
  assert.deepEqual(texts(), [])
  assert.match(refused(), /^error: there is no command of yours left to take back \(NOT_FOUND\)\nhint: /)
})

test('a forgotten memory that was kept is forgotten again, and then what was done before', (t) => {
  const { command, capture, texts, undo, refused } = freshMemory(t)
  const id = capture(FLAKY)
  command.run(['forget', id])
  const kept = json(command, ['keep', id])
  assert.deepEqual([kept.kept, texts()], [true, [FLAKY]])
  assert.deepEqual(
    undo().changes.map(({ did }) => did),
    ['forget'],
  )
  assert.deepEqual(texts(), [])
  assert.deepEqual([undo().command, texts()], ['forget', [FLAKY]])
  assert.deepEqual([undo().command, texts()], ['add', []])
  refused()
  const first = capture(SLOW)
  command.run(['forget', first])
  capture(SLOW)
  command.run(['keep', first])
  assert.deepEqual([undo().command, texts()], ['add', []], 'what was there before is not of the keep')
})

test('a verdict is taken back, of either kind, and can be given again', (t) => {
  const { command, capture, undo } = freshMemory(t)
  const id = capture(FLAKY)
  const verdicts = () => json(command, ['show', id]).verdicts ?? { useful: 0, wrong: 0 }
  for (const verdict of ['useful', 'wrong']) {
    for (const _ of ['once', 'again']) {
      assert.equal(json(command, ['rate', verdict, id]).counted, true)
      assert.equal(verdicts()[verdict], 1)
      assert.equal(undo().changes.length, 1)
      assert.equal(verdicts()[verdict], 0)
    }
  }
  command.run(['rate', 'useful', id])
  assert.match(command.run(['undo']).stdout, /^Took back rate of .*:\n\n[\s\S]* not counted as useful +The login test/)
  assert.deepEqual(
    json(command, ['list']).entries.map((one) => one.id),
    [id],
  )
})

test('forgotten memories come back with their type, tags, confidence and expiry, all of one command', (t) => {
  const { command, capture, texts, undo } = freshMemory(t)
  const one = capture(
    FLAKY,
    '--tag',
    'login',
    '--confidence',
    '0.55',
    '--tool',
    'forge_sweep',
    '--expires-at',
    '2090-01-01',
  )
  const other = capture(SLOW)
  json(command, ['save', '--category', 'convention', 'Makefiles use tabs'])
  const pattern = json(command, ['list']).entries.find(({ type }) => type === 'convention').id
  const facts = ({ entry }) => [entry.text, entry.type, entry.tags, entry.createdAt]
  const before = [one, other, pattern].map((id) => facts(json(command, ['show', id])))
  command.run(['forget', one, other, pattern])
  assert.deepEqual(texts(), [])
  assert.deepEqual(
    undo().changes.map(({ did }) => did),
    ['restore', 'restore', 'restore'],
  )
  assert.deepEqual(texts().sort(), [SLOW, 'Makefiles use tabs', FLAKY].sort())
  const shown = [one, other, pattern].map((id) => json(command, ['show', id]))
  assert.deepEqual(shown.map(facts), before, 'each is shown by the id that it had, with its date')
  assert.deepEqual(
    shown.map(({ revisions }) => revisions[0].id),
    [one, other, pattern],
  )
  const back = json(command, ['list', '--tag', 'login']).entries[0]
  assert.deepEqual([back.type, back.confidence, back.source], ['lesson', 0.55, 'forge_sweep'])
  assert.match(back.expiresAt, /^2090-01-01/)
  command.run(['forget', back.id])
  assert.equal(undo().changes.length, 1)
})

test("a forgotten memory of an agent is an agent's when it comes back", (t) => {
  const { command, undo } = freshMemory(t)
  const { id } = json(command, ['capture', '-t', 'lesson', FLAKY], { env: { CLAUDECODE: '1' } })
  command.run(['forget', id])
  undo()
  const { revisions } = json(command, ['show', id])
  assert.deepEqual(
    revisions.map(({ author }) => author),
    ['agent', 'agent'],
  )
})

test('an edit is taken back whole: text, type, tags and confidence', (t) => {
  const { command, capture, undo } = freshMemory(t)
  const id = capture(FLAKY, '--tag', 'login', '--confidence', '0.55')
  json(command, ['edit', id, '-t', 'gotcha', '--tag', 'auth', '--confidence', '0.9', 'The logout test is flaky'])
  const { changes, command: name } = undo()
  assert.deepEqual([name, changes[0].did], ['edit', 'edit'])
  const { entry, revisions } = json(command, ['show', id])
  assert.deepEqual([entry.text, entry.type, entry.tags, entry.confidence], [FLAKY, 'lesson', ['login'], 0.55])
  assert.equal(revisions.length, 3)
})

test('a memory that the captured one had retired is current again, and keep is taken back as well', (t) => {
  const { command, capture, texts, undo } = freshMemory(t)
  const old = capture('The API rate limit is 100 requests per minute')
  capture('The API rate limit is 250 requests per minute')
  assert.equal(texts().length, 1)
  assert.deepEqual(
    undo().changes.map(({ did }) => did),
    ['forget', 'keep'],
  )
  assert.deepEqual(texts(), ['The API rate limit is 100 requests per minute'])
  assert.equal(json(command, ['show', old]).state, 'current')
  const port = capture('The staging server listens on port 8080')
  capture('The staging server listens on port 9090')
  assert.equal(json(command, ['keep', port]).kept, true)
  assert.equal(undo().changes[0].did, 'retire')
  assert.equal(json(command, ['show', port]).state, 'retired')
})

test('every command is taken back, in reverse order, until there is none', (t) => {
  const { command, capture, texts, undo, refused } = freshMemory(t)
  const one = capture(FLAKY)
  const other = capture(SLOW)
  json(command, ['edit', one, 'The login test is flaky on Linux'])
  command.run(['forget', other])
  assert.deepEqual(
    [undo(), undo(), undo(), undo()].map((done) => [done.command, done.changes[0].did]),
    [
      ['forget', 'restore'],
      ['edit', 'edit'],
      ['add', 'forget'],
      ['add', 'forget'],
    ],
  )
  assert.deepEqual(texts(), [])
  assert.match(refused(), /^error: there is no command of yours left to take back \(NOT_FOUND\)/)
})

test('what was done to a memory before it was forgotten is taken back after that', (t) => {
  const { command, capture, texts, undo, refused } = freshMemory(t)
  const first = capture(FLAKY)
  const second = json(command, ['edit', first, SLOW]).id
  json(command, ['edit', second, 'The login test is flaky on Linux'])
  // By the id of any of its revisions.
  command.run(['forget', first])
  const seen = [undo, undo, undo].map((step) => [step().command, texts()])
  assert.deepEqual(seen, [
    ['forget', ['The login test is flaky on Linux']],
    ['edit', [SLOW]],
    ['edit', [FLAKY]],
  ])
  assert.equal(undo().command, 'add')
  assert.deepEqual(texts(), [])
  assert.match(refused(), /NOT_FOUND/)
})

/** A gateway of which a person and an agent say something else. */
function dispute(t) {
  const memory = freshMemory(t)
  const one = memory.capture('The gateway listens on port 8080')
  const said = ['capture', '--type', 'lesson', 'The gateway listens on port 9090']
  const other = json(memory.command, said, { env: { CLAUDECODE: '1' } }).id
  return { ...memory, one, other }
}

for (const holds of ['newer', 'older', 'both', 'merge']) {
  test(`a settled conflict is to be settled again: ${holds}`, (t) => {
    const { command, texts, undo, one, other } = dispute(t)
    const before = texts().sort()
    const text = holds === 'merge' ? ['--text', 'The gateway listens on 8080 and on 9090'] : []
    json(command, ['review', '--resolve', one, other, '--holds', holds, ...text])
    assert.deepEqual(json(command, ['conflicts']), [])
    undo()
    assert.deepEqual(texts().sort(), before)
    assert.equal(json(command, ['conflicts']).length, 1)
    undo()
    assert.deepEqual(texts(), ['The gateway listens on port 9090'])
  })
}

test('decisions of a review are taken back: what was accepted or rejected waits again', (t) => {
  const { command, texts, undo } = freshMemory(t)
  writeFileSync(join(command.project, '.forge.json'), '{"review":"agents"}')
  const propose = (text) => json(command, ['capture', '-t', 'lesson', text], { env: { CLAUDECODE: '1' } }).id
  const ids = ['Tokens expire at noon', 'The cache is warm'].map(propose)
  const waiting = () => json(command, ['review']).waiting.map(({ text, author }) => [text, author])
  const before = waiting()
  assert.equal(before.length, 2)
  json(command, ['review', '--accept', ids[0], '--reject', ids[1]])
  assert.deepEqual([waiting(), texts()], [[], ['Tokens expire at noon']])
  assert.deepEqual(
    undo().changes.map(({ did }) => did),
    ['reopen', 'reopen'],
  )
  assert.deepEqual([waiting(), texts()], [before, []])
  json(command, ['review', '--accept', ids[1]])
  assert.deepEqual(texts(), ['The cache is warm'])
})

test('a capture that names what it replaces is taken back, and so is what was done before', (t) => {
  const { command, capture, texts, undo } = freshMemory(t)
  const [one, other] = [capture(FLAKY, '--tag', 'login'), capture('The cache is warm')]
  capture(SLOW, '--supersedes', one, '--supersedes', other)
  assert.deepEqual(texts(), [SLOW])
  undo()
  assert.deepEqual(texts().sort(), ['The cache is warm', FLAKY].sort())
  assert.deepEqual(json(command, ['list', '--tag', 'login']).entries[0].type, 'lesson')
  undo()
  undo()
  assert.deepEqual(texts(), [])
})

test('an acceptance that retires ten brings back ten', (t) => {
  const { command, capture, texts, undo } = freshMemory(t)
  const words = 'amber birch cedar dune elm fjord glade heath island jetty'.split(' ')
  const ids = words.map((word) => capture(`The word ${word} is ${word}`))
  writeFileSync(join(command.project, '.forge.json'), '{"review":"agents"}')
  const named = ids.flatMap((id) => ['--supersedes', id])
  const { id } = json(command, ['add', '-t', 'lesson', ...named, 'All words are elsewhere'], {
    env: { CLAUDECODE: '1' },
  })
  const before = texts().sort()
  assert.equal(before.length, 10)
  const [accepted] = json(command, ['review', '--accept', id, '--retires-persons'])
  assert.deepEqual(accepted.retired.map((one) => one.id).sort(), [...ids].sort())
  assert.deepEqual(texts(), ['All words are elsewhere'])
  undo()
  const { stdout } = command.run(['review', '--accept', id, '--retires-persons'])
  assert.equal(stdout.split('\n').filter((line) => line.startsWith('  no longer current: ')).length, 10)
  assert.match(
    stdout,
    /^accepted \w{8}\n {2}no longer current: \w{8} The word \w+ is \w+ \(forge-memory keep \w{8} brings it back\)\n/,
  )
  undo()
  assert.deepEqual(texts().sort(), before)
  assert.deepEqual(
    json(command, ['review']).waiting.map((one) => one.id),
    [id],
  )
})

test('a forgotten memory comes back with its date', (t) => {
  const { command, capture, undo } = freshMemory(t)
  const id = capture(FLAKY)
  const { createdAt, expiresAt } = json(command, ['list']).entries[0]
  command.run(['forget', id])
  undo()
  const back = json(command, ['list']).entries[0]
  assert.deepEqual([back.text, back.createdAt, back.expiresAt], [FLAKY, createdAt, expiresAt])
})

test('what was taken back is listed and done again, until another command changes the memory', (t) => {
  const { command, capture, texts, undo } = freshMemory(t)
  const one = capture(FLAKY)
  capture(SLOW)
  json(command, ['edit', one, 'The login test is flaky on Linux'])
  json(command, ['forget', one])
  const states = [texts()]
  for (let step = 0; step < 4; step += 1) {
    undo()
    states.push(texts())
  }
  const names = (list) => list.map((each) => each.command)
  const listed = json(command, ['undo', '--list'])
  assert.deepEqual([names(listed.commands), names(listed.undone)], [[], ['add', 'add', 'edit', 'forget']])
  assert.match(
    command.run(['undo', '--list']).stdout,
    /no command of yours left[\s\S]*redo does again:[\s\S]*\nadd .* 1 +The login test is flaky/,
  )
  const redo = () => json(command, ['redo'])
  for (const expected of states.slice(0, -1).reverse()) {
    redo()
    assert.deepEqual(texts().sort(), [...expected].sort())
  }
  assert.match(command.run(['redo']).stderr, /there is no command that undo has taken back \(NOT_FOUND\)/)
  assert.deepEqual(names(json(command, ['undo', '--list']).commands), ['forget', 'edit', 'add', 'add'])
  undo()
  undo()
  assert.equal(json(command, ['redo', '--dry-run']).command, 'edit')
  capture('The cache is warm')
  assert.match(command.run(['redo']).stderr, /NOT_FOUND/)
  const agent = { env: { CLAUDECODE: '1' } }
  assert.match(command.run(['redo'], agent).stderr, /an agent cannot do again what a person did \(UNSUPPORTED\)/)
})

test('a project that was moved keeps the commands that were given in it', (t) => {
  const { command, capture } = freshMemory(t)
  capture(FLAKY)
  capture(SLOW)
  const cwd = join(command.folder, 'moved')
  renameSync(command.project, cwd)
  const inMoved = (...args) => json(command, args, { cwd })
  assert.equal(inMoved('undo', '--list').commands.length, 2)
  assert.equal(inMoved('undo').changes.length, 1)
  assert.deepEqual(
    inMoved('list').entries.map(({ text }) => text),
    [FLAKY],
  )
  inMoved('redo')
  assert.equal(inMoved('list').total, 2)
  // A project of its own takes over nothing.
  mkdirSync(command.project)
  assert.equal(json(command, ['undo', '--list']).commands.length, 0)
})

test('an import is forgotten as a whole', (t) => {
  const { command, capture, texts, undo } = freshMemory(t)
  capture(FLAKY)
  const file = join(command.project, 'notes.jsonl')
  writeFileSync(file, ['one', 'two'].map((at) => `{"content":"note ${at}","type":"lesson"}\n`).join(''))
  assert.equal(json(command, ['import', file]).imported, 2)
  assert.equal(texts().length, 3)
  assert.equal(undo().changes.length, 2)
  assert.deepEqual(texts(), [FLAKY])
})

test('what has changed since is not touched, and neither is anything else of that command', (t) => {
  const { command, capture, texts, refused } = freshMemory(t)
  const ids = [capture(FLAKY), capture(SLOW)]
  command.run(['replace', ...ids])
  // Somebody brings one of them back on the dashboard.
  asLibrary(command, `keepMemory('${ids[1]}', { author: 'person' })`)
  assert.match(refused(), /was changed after that command: nothing was taken back \(INVALID_INPUT\)/)
  assert.deepEqual(texts(), [SLOW])
  const agent = { env: { CLAUDECODE: '1' } }
  assert.match(command.run(['undo'], agent).stderr, /an agent cannot take back what a person did \(UNSUPPORTED\)/)
})

test('the log is private, holds no texts, and a damaged one is passed over', (t) => {
  const { command, capture, texts, undo } = freshMemory(t)
  capture(FLAKY)
  capture(SLOW)
  const folder = join(command.home, 'commands')
  const [project] = readdirSync(folder)
  const files = readdirSync(join(folder, project)).sort()
  assert.equal(files.length, 2)
  for (const file of files) assert.doesNotMatch(readFileSync(join(folder, project, file), 'utf8'), /flaky|eleven/)
  writeFileSync(join(folder, project, files[1]), '{"_v":1,')
  undo()
  assert.deepEqual(texts(), [SLOW])
})

/** All that a person can see of a memory, without ids and times, which a taken-back command does not bring back. */
function stateIn(command) {
  const asked = (...args) => json(command, args)
  const entries = asked('list', '-n', '1000', '--include-proposed', '--expired').entries
  const { waiting, conflicts } = asked('review', '--list')
  const rows = {
    entries: entries.map(({ text, type, tags, confidence, proposed }) => [
      text,
      type,
      tags,
      confidence,
      proposed ?? false,
    ]),
    // An earlier text of a memory that was edited stays one.
    retired: asked('list', '--retired', '-n', '1000')
      .entries.filter(({ id }) => asked('show', id).state === 'retired')
      .map(({ text }) => text),
    waiting: waiting.map(({ text, why }) => [text, why]),
    conflicts: conflicts.map(({ newer, older }) => [newer.text, older.text].sort()),
  }
  return Object.fromEntries(
    Object.entries(rows).map(([name, list]) => [name, list.map((row) => JSON.stringify(row)).sort()]),
  )
}

const pick = (list, at) => list[at % list.length]
const facts = ['The gate listens on port', 'The rate limit per minute is', 'The build takes this many seconds:']

/** Commands of a person: each is made of a number, by which it chooses among what is there. */
const COMMANDS = {
  add: (_, at) => ['add', '-t', pick(['lesson', 'gotcha', 'decision'], at), `${pick(facts, at)} ${1000 + at}`],
  edit: ({ current }, at) => [
    'edit',
    pick(current, at),
    '--confidence',
    '0.5',
    `${pick(facts, at)} ${2000 + at} as of now`,
  ],
  forget: ({ current }, at) => ['forget', pick(current, at)],
  forgetTwo: ({ current }, at) => ['forget', pick(current, at), pick(current, at + 1), '--yes'],
  keep: ({ retired }, at) => ['keep', pick(retired, at)],
  replace: ({ current }, at) => ['replace', pick(current, at), '--by', pick(current, at + 1)],
  retire: ({ current }, at) => ['replace', pick(current, at)],
  resolve: ({ conflicts }, at) => {
    const { newer, older } = pick(conflicts, at)
    const holds = pick(['newer', 'older', 'both', 'merge'], at)
    const text = holds === 'merge' ? ['--text', `Both of them: ${at}`] : []
    return ['review', '--resolve', newer.id, older.id, '--holds', holds, ...text]
  },
  accept: ({ waiting }, at) => ['review', '--accept', pick(waiting, at)],
  reject: ({ waiting }, at) => ['review', '--reject', pick(waiting, at)],
}

function idsIn(command) {
  const { waiting, conflicts } = json(command, ['review', '--list'])
  return {
    current: json(command, ['list', '-n', '1000']).entries.map(({ id }) => id),
    retired: json(command, ['list', '--retired', '-n', '1000']).entries.map(({ id }) => id),
    waiting: waiting.map(({ id }) => id),
    conflicts,
  }
}

/** A command that has something to choose from; undefined where it has not. */
function typed(name, at, command) {
  try {
    const args = COMMANDS[name](idsIn(command), at)
    return args.includes(undefined) ? undefined : args
  } catch {
    return undefined
  }
}

test('whatever commands a person types, taking all of them back leaves the memory as it was', (t) => {
  const steps = fc.array(fc.tuple(fc.constantFrom(...Object.keys(COMMANDS)), fc.nat(60)), {
    minLength: 2,
    maxLength: 7,
  })
  fc.assert(
    fc.property(steps, (chosen) => {
      const { command } = freshMemory(t)
      const agent = { env: { CLAUDECODE: '1' } }
      for (const [at, fact] of facts.entries()) {
        command.run(['add', '-t', 'lesson', '--tag', `tag-${at}`, `${fact} ${10 + at}`])
        command.run(['add', '-t', 'lesson', `${fact} ${20 + at}`], agent)
      }
      writeFileSync(join(command.project, '.forge.json'), '{"review":"agents"}')
      for (const text of ['Tokens expire at noon', 'The cache is warm'])
        command.run(['add', '-t', 'lesson', text], agent)
      const folder = join(command.home, 'commands')
      const noted = () => readdirSync(join(folder, readdirSync(folder)[0])).length
      const states = []
      for (const [name, at] of chosen) {
        const before = [noted(), stateIn(command)]
        const args = typed(name, at, command)
        if (args === undefined) continue
        command.run(args)
        if (noted() > before[0]) states.push([args, before[1]])
        else
          assert.deepEqual([args, stateIn(command)], [args, before[1]], 'what is not kept for undo has changed nothing')
      }
      for (const [args, state] of states.reverse()) {
        const { status, stderr } = command.run(['undo'])
        assert.deepEqual([args, status, stderr], [args, 0, ''])
        assert.deepEqual([args, stateIn(command)], [args, state])
      }
    }),
    {
      numRuns: Number(process.env.UNDO_RUNS ?? 8),
      seed: Number(process.env.UNDO_SEED ?? 20261127),
      includeErrorInReport: true,
    },
  )
})

test('what was said with leave to speak as a person is taken back by no other script', (t) => {
  const command = freshCommand(t)
  json(command, ['add', '-t', 'lesson', 'A queue keeps its order.'])
  for (const args of [['undo'], ['redo'], ['review', '--reject', 'mem_1']]) {
    const silent = command.run(args, { env: { FORGE_AS: '' } })
    if (args[0] !== 'redo')
      assert.match(silent.stderr, /unless it says that it speaks for the person \(UNSUPPORTED\)\n.*--as person/)
    assert.notEqual(silent.status, 0, 'it has leave, and does not say that it uses it')
  }
  rmSync(join(command.home, 'trusted-scripts'), { recursive: true })
  const { status, stderr } = command.run(['undo'], { env: { FORGE_AS: '' } })
  assert.match(stderr, /a script cannot take back what a person did without a person's leave \(UNSUPPORTED\)/)
  assert.notEqual(status, 0)
})

test('a replacement that brought a retired memory back is taken back whole', (t) => {
  const command = freshCommand(t)
  const [one, other] = ['A queue keeps its order', 'Logs rotate at night'].map((text) => {
    return json(command, ['add', '-t', 'lesson', text]).id
  })
  const states = () => [one, other].map((id) => json(command, ['show', id]).state)
  json(command, ['replace', one, '--by', other])
  assert.deepEqual(states(), ['retired', 'current'])
  json(command, ['replace', other, '--by', one])
  assert.deepEqual(states(), ['current', 'retired'])
  json(command, ['undo'])
  assert.deepEqual(states(), ['retired', 'current'])
  json(command, ['redo'])
  assert.deepEqual(states(), ['current', 'retired'])
})
