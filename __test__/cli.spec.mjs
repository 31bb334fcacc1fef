import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, giveLeave, json, normalised } from './support/command.mjs'
import { filesUnder, readLines } from './support/project.mjs'

const LESSON = 'Auth mocks must be set up in beforeEach, not at module scope'
const lesson = (text, ...options) => ['capture', '--type', 'lesson', ...options, text]

/** Runs a command and returns its outcome with ids, dates and folders replaced. */
function golden(command, args, options) {
  const { status, stdout, stderr } = command.run(args, options)
  return { status, stdout: normalised(stdout, command), stderr: normalised(stderr, command) }
}

const said = (stdout) => ({ status: 0, stdout, stderr: '' })
const failed = (status, stderr) => ({ status, stdout: '', stderr })

test('capture says what it stored, and the line is in the raw log', (t) => {
  const command = freshCommand(t)
  assert.deepEqual(
    golden(command, lesson(LESSON, '--tool', 'forge_sweep', '--tag', 'a', '--tag', 'b')),
    said('lesson <short> stored\n'),
  )
  const [line, ...rest] = readLines(command.project, '.forge', 'memory-captures.jsonl')
  assert.deepEqual(rest, [])
  assert.deepEqual([line.content, line.type, line.source, line.tags], [LESSON, 'lesson', 'forge_sweep', ['a', 'b']])
})

test('an expiry within a year is a day in the one line that a capture prints', (t) => {
  const command = freshCommand(t)
  for (const columns of ['40', '200']) {
    const args = ['add', '-t', 'gotcha', '--expires-at', inDays(90), `What takes ${columns} minutes at the gate`]
    const { stdout } = command.run(args, { env: { COLUMNS: columns } })
    assert.match(stdout, /^gotcha [0-9a-f]{8} stored, until \d{1,2} [A-Z][a-z]{2}\n$/)
  }
  assert.match(command.run(['add', 'A decision', '-t', 'decision']).stdout, /, until \d{1,2} [A-Z][a-z]{2}\n$/)
  assert.match(command.run(['add', 'A lesson', '-t', 'lesson']).stdout, /^lesson [0-9a-f]{8} stored\n$/)
  const other = command.run(['add', '-t', 'gotcha', '--expires-at', inDays(500), 'What is in another year'])
  assert.match(other.stdout, /^gotcha [0-9a-f]{8} stored\n$/)
})

test('an edit of what another machine stored says whose it was', (t) => {
  const command = freshCommand(t)
  const { id } = json(command, ['add', '-t', 'lesson', 'The gate needs a key'])
  const home = join(command.folder, 'other-home')
  giveLeave(home)
  // A machine that has stored nothing has no key by which it knows its own.
  command.run(['add', '-t', 'lesson', 'The gate has a lamp'], { env: { FORGE_HOME: home } })
  const { stdout } = command.run(['edit', id, 'The gate needs two keys'], { env: { FORGE_HOME: home } })
  assert.match(stdout, new RegExp(`^Stored [0-9a-f]{8}, which retires ${id.slice(-8)} of another machine\n$`))
})

const inDays = (days) => new Date(Date.now() + days * 86_400_000).toISOString()

test('without a type, a capture has the one that the page suggests, and says so', (t) => {
  const command = freshCommand(t)
  for (const [text, type] of [
    ['We use pnpm for all packages', 'decision'],
    ['Every test is named after what it proves', 'convention'],
    ['The build hangs when the cache is cold', 'gotcha'],
    ['Cold caches are slow', 'lesson'],
  ]) {
    const [, id] = new RegExp(`^${type} (\\w{8}) stored`).exec(command.run(['add', text]).stdout)
    const { entry } = json(command, ['show', id])
    assert.deepEqual([entry.text, entry.type], [text, type])
  }
  const { stdout } = command.run(['add', 'A queue is drained at night'])
  assert.match(stdout, /^lesson ([0-9a-f]{8}) stored \(type guessed; edit \1 -t TYPE changes it\)\n$/)
  assert.doesNotMatch(command.run(['add', '-t', 'lesson', 'Queues fill up in the morning']).stdout, /guessed/)
  assert.match(command.run(['add', '--scope', 'global', 'Makefiles use tabs']).stdout, /\[convention\]/)
  assert.equal(json(command, ['add', 'A job hangs at noon']).thought.type, 'gotcha')
})

test('capture passes every option on', (t) => {
  const command = freshCommand(t)
  const first = json(command, lesson('an older lesson')).id
  const options = [
    '--source',
    'hook/pre-deploy',
    '--confidence',
    '0.9',
    '--created-by',
    'me',
    '--expires-at',
    '2999-01-01T00:00:00.000Z',
  ]
  const { thought } = json(command, lesson('quite another thing', ...options, '--supersedes', first))
  assert.deepEqual(
    [thought.source, thought.confidence, thought.created_by, thought.expiresAt, thought.supersedes],
    ['hook/pre-deploy', 0.9, 'me', '2999-01-01T00:00:00.000Z', first],
  )
})

test('capture reads the text from standard input, all of it and nothing more', (t) => {
  const command = freshCommand(t)
  const text = '日本語 first line\n\n  second line'
  const { thought } = json(command, lesson('-'), { input: `${text}\r\n\n` })
  assert.equal(thought.content, text)
})

test('capture refuses standard input that is not UTF-8', (t) => {
  const command = freshCommand(t)
  assert.deepEqual(
    golden(command, lesson('-'), { input: Buffer.from([0x66, 0xff, 0xfe]) }),
    failed(
      2,
      'error: standard input is not UTF-8 text (INVALID_INPUT)\nhint: convert it first, or set the shell to UTF-8\n',
    ),
  )
})

test('capture of a known lesson is a confirmation, and a reversal is not', (t) => {
  const command = freshCommand(t)
  command.run(lesson('Run npm audit before every release'))
  assert.deepEqual(
    golden(command, lesson('run npm audit before every release')),
    said('Already known as <short> (100 % alike): counted as a confirmation.\n'),
  )
  assert.match(command.run(lesson('Do not run npm audit before every release')).stdout, /^lesson \w{8} stored$/m)
})

test('capture removes secrets and says how many', (t) => {
  const command = freshCommand(t)
  const { stdout } = golden(command, lesson('staging is postgres://app:vK93_xTq7@db.internal/shop'))
  assert.equal(stdout, 'lesson <short> stored\n1 secret removed before it was stored.\n')
  assert.doesNotMatch(JSON.stringify(readLines(command.project, '.forge', 'memory-captures.jsonl')), /vK93/)
})

test('capture warns of a source that it had to replace', (t) => {
  const command = freshCommand(t)
  assert.deepEqual(golden(command, lesson('x marks the spot', '--source', 'My Tool')), {
    status: 0,
    stdout: 'lesson <short> stored\n',
    stderr: 'warning: the source "My Tool" is not <tool> or <tool>/<subsystem>: stored as unknown\n',
  })
})

test('capture that stores nothing fails, and says why', (t) => {
  const command = freshCommand(t)
  writeFileSync(join(command.project, '.forge'), 'a file where the folder should be')
  const { status, stdout, stderr } = command.run(lesson('x marks the spot'))
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /^error: nothing was stored: .+ \(IO\)\nhint: .+\n$/)
  const document = JSON.parse(command.run(['--json', ...lesson('x marks the spot')]).stdout)
  assert.deepEqual([document.error.code, document.outcome.captured], ['IO', false])
})

test('the output of save has a fixed format', (t) => {
  const command = freshCommand(t)
  const save = (text) => golden(command, ['save', text, '--category', 'test_command', '--confidence', '0.9'])
  assert.deepEqual(save('pnpm vitest --run'), said('Saved to project memory [test_command]: pnpm vitest --run\n'))
  assert.deepEqual(save('PNPM vitest --run'), said('Duplicate pattern already in project memory, skipped.\n'))
  const global = golden(command, ['save', 'one', 'pattern', '--category', 'convention', '--scope', 'global'])
  assert.deepEqual(global, said('Saved to global memory [convention]: one pattern\n'))
  assert.ok(existsSync(join(command.home, 'memory', 'global.jsonl')))
  const { hits } = json(command, ['recall', 'vitest pattern'])
  assert.deepEqual(hits.map(({ confidence }) => confidence).sort(), [0.7, 0.9], 'unless it is given')
})

test('recall ranks, and shows the text, then type, confidence, age, id, source and tags', (t) => {
  const command = freshCommand(t)
  command.run(lesson(LESSON, '--tool', 'forge_sweep', '--tag', 'jest'))
  command.run(lesson('Store money as integer cents'))
  command.run([
    'save',
    'auth routes live in src/auth',
    '--category',
    'convention',
    '--confidence',
    '0.8',
    '--scope',
    'global',
  ])
  assert.deepEqual(
    golden(command, ['recall', '--all', 'auth', 'mocks']),
    said(`1. ${LESSON}
   lesson  0.80  new  <short>  forge_sweep  #jest

2. auth routes live in src/auth
   convention  0.80  new  <short>  memory_save  (global)  from project

2 hits in 3 memories
`),
  )
})

test('recall applies its filters', (t) => {
  const command = freshCommand(t)
  command.run(lesson('deploy on Tuesdays', '--tag', 'ops', '--confidence', '0.9'))
  command.run(['capture', '--type', 'decision', 'deploy with blue and green'])
  const texts = (...options) => json(command, ['recall', 'deploy', ...options]).hits.map((hit) => hit.text)
  assert.equal(texts().length, 2)
  assert.deepEqual(texts('--type', 'decision'), ['deploy with blue and green'])
  assert.deepEqual(texts('--tag', 'ops'), ['deploy on Tuesdays'])
  assert.deepEqual(texts('--min-confidence', '0.85'), ['deploy on Tuesdays'])
  assert.equal(texts('--limit', '1').length, 1)
  assert.equal(texts('--since', '7d').length, 2)
  assert.deepEqual(texts('--scope', 'global'), [])
  assert.deepEqual(texts('--at', '2001-01-01T00:00:00.000Z'), [])
})

test('recall without a match is not an error', (t) => {
  const command = freshCommand(t)
  const { status, stdout, stderr } = command.run(['recall', 'nothing', 'at', 'all'])
  assert.deepEqual([status, stderr], [0, ''])
  assert.notEqual(stdout, '')
  assert.ok(!existsSync(join(command.project, '.forge')), 'a read wrote something')
})

test('list shows newest first, in columns', (t) => {
  const command = freshCommand(t)
  command.run(lesson('the first thing'))
  command.run(['capture', '--type', 'gotcha', '日本語の教訓 と 絵文字 🚀'])
  assert.deepEqual(
    golden(command, ['list']),
    said(`ID        TYPE    CONF  WHEN  TEXT
<short>  gotcha  0.80  new   日本語の教訓 と 絵文字 🚀
<short>  lesson  0.80  new   the first thing
`),
  )
  assert.match(command.run(['list', '--limit', '1']).stdout, /\n1 of 2; --limit shows more\n$/)
})

test('a memory can be shown, edited and forgotten', (t) => {
  const command = freshCommand(t)
  const { id } = json(command, lesson('the gate takes 8 s'))
  const short = id.slice(-8)
  const edited = golden(command, ['edit', short, 'the gate takes 12 s', '--confidence', '0.9'])
  assert.deepEqual(edited, said('Stored revision <short>, which replaces <short>\n'))
  const shown = golden(command, ['show', short])
  assert.equal(shown.status, 0)
  assert.match(shown.stdout, /the gate takes 12 s/)
  assert.match(
    shown.stdout,
    /REVISION +STATE +DATE +TEXT\n<short> +superseded +<date> +the gate takes 8 s\n<short> +current +<date> +the gate takes 12 s/,
  )
  const newest = json(command, ['list']).entries.map((entry) => entry.id)
  assert.equal(newest.length, 1)
  assert.match(golden(command, ['forget', newest[0]]).stdout, /^Forgot <id>: /)
  assert.deepEqual(json(command, ['list']).entries, [])
  assert.deepEqual(json(command, ['recall', 'gate']).hits, [])
})

for (const args of [
  ['show', 'ffffffff'],
  ['forget', 'ffffffff'],
  ['edit', 'ffffffff', 'text'],
]) {
  test(`${args[0]} of an unknown id fails with NOT_FOUND`, (t) => {
    const command = freshCommand(t)
    command.run(lesson('something'))
    const { status, stdout, stderr } = command.run(args)
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, /^error: .*ffffffff.* \(NOT_FOUND\)\nhint: forge-memory list .*\n$/)
  })
}

test('edit without a change is wrong usage', (t) => {
  const command = freshCommand(t)
  const { id } = json(command, lesson('something'))
  assert.equal(command.run(['edit', id]).status, 2)
})

test('report counts the records in all files', (t) => {
  const command = freshCommand(t)
  command.run(lesson('one', '--tool', 'forge_sweep'))
  command.run(lesson('one', '--tool', 'forge_sweep'))
  command.run(['capture', '--type', 'gotcha', 'two', '--tool', 'watcher'])
  const { status, stdout, stderr } = golden(command, ['report'])
  assert.deepEqual([status, stderr], [0, ''])
  assert.match(stdout, /^Memory report {2}<folder>\/project\n\nFILE +LINES +UNREADABLE +SIZE +VERSIONS\n/)
  assert.match(stdout, /\nTOOL +CAPTURES\nforge_sweep +2 {2}█{24}\nwatcher +1 {2}█{12}\n/)
  assert.match(stdout, /\ncaptures +3, of which 1 were already known\n/)
})

test('status says which files are in use', (t) => {
  const command = freshCommand(t)
  command.run(lesson('one'))
  const { status, stdout } = golden(command, ['status'])
  assert.equal(status, 0)
  assert.match(
    stdout,
    /^Nothing to do\.\n\nproject +project {2}<folder>\/project\nidentity +local\/[0-9a-f]{12}\/project\nhome +<folder>\/home\nconfig +<folder>\/project\/\.forge\.json\n/,
  )
  assert.match(stdout, /\nmemories +1 {2}█+\n/)
})

test('status warns of settings that cannot be read', (t) => {
  const command = freshCommand(t)
  writeFileSync(join(command.project, '.forge.json'), '{ "redact": ')
  const { status, stderr } = golden(command, ['status'])
  assert.equal(status, 0)
  assert.match(stderr, /^warning: <folder>\/project\/\.forge\.json: /)
})

test('doctor reports a damaged line with a hint, and exits with 1', (t) => {
  const command = freshCommand(t)
  command.run(lesson('one'))
  const healthy = command.run(['doctor'])
  assert.equal(healthy.status, 0, healthy.stdout)
  const log = join(command.project, '.forge', 'memory-captures.jsonl')
  writeFileSync(log, '{"_v":1,"id":"mem_x","content"\n{"broken\n', { flag: 'a' })
  const damaged = command.run(['doctor'])
  assert.match(damaged.stdout, /memory-captures\.jsonl/)
  assert.match(damaged.stdout, /\n +do: /)
})

test('a closed output pipe is not an error', { timeout: 120_000 }, (t) => {
  const command = freshCommand(t)
  for (let at = 0; at < 3; at += 1) command.run(lesson(`lesson number ${at} ${'x'.repeat(60_000)}${at}`))
  const reader = `
    const { spawn } = require('node:child_process')
    const child = spawn(process.execPath, ${JSON.stringify([command.program, 'list', '--json'])}, { stdio: ['ignore', 'pipe', 'inherit'] })
    child.stdout.once('data', () => child.stdout.destroy())
    child.on('close', (code, signal) => console.log(code, signal))
  `
  const options = { cwd: command.project, encoding: 'utf8', env: command.env() }
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', reader], options)
  assert.deepEqual([stdout, stderr], ['0 null\n', ''])
})

test('a command leaves no temporary files behind', (t) => {
  const command = freshCommand(t)
  command.run(lesson('one'))
  const others = filesUnder(command.folder).filter(
    (path) => !path.startsWith('project/.forge/') && !path.startsWith('home/'),
  )
  assert.deepEqual(others, [])
})

test('an export makes the folder of its file, and none outside of the project', (t) => {
  const command = freshCommand(t)
  command.run(lesson('deploy on Tuesdays'))
  assert.equal(command.run(['export', '--output', 'docs/of/memory.md']).status, 0)
  assert.match(readFileSync(join(command.project, 'docs', 'of', 'memory.md'), 'utf8'), /deploy on Tuesdays/)
  for (const path of ['../else/where.md', 'docs/../../else/where.md']) {
    const { status, stderr } = command.run(['export', '--output', path])
    assert.deepEqual([status, existsSync(join(command.folder, 'else'))], [2, false], stderr)
  }
})

test('a day is summed up: what was learned and retired, what waits, and what expires soon', (t) => {
  const command = freshCommand(t)
  const soon = new Date(Date.now() + 3 * 86_400_000).toISOString()
  json(command, lesson('The gate listens on port 8080', '--expires-at', soon))
  json(command, lesson('The pool has 4 workers'))
  json(command, lesson('The pool has 8 workers'))
  json(command, lesson('The gate listens on port 9090'), { env: { CLAUDECODE: '1' } })
  const { learned, retired, waiting, conflicts, expiring } = json(command, ['status', '--today'])
  assert.deepEqual([learned.length, retired.length, waiting, conflicts], [3, 1, 0, 1])
  assert.deepEqual([retired[0].text, expiring[0].text], ['The pool has 4 workers', 'The gate listens on port 8080'])
  const { stdout } = command.run(['status', '--today'])
  assert.match(stdout, /^Learned: 3\n[\s\S]+^Retired: 1\n[\s\S]+^Waiting: 0 memories to review, 1 conflict /m)
  assert.match(stdout, /^Expiring within 14 days: 1 \(forge-memory keep --expiring renews them\)\n/m)
})

test('a status line says what agents stored, with the command that takes it back, and what they were told', (t) => {
  const command = freshCommand(t)
  // A host hands over JSON on standard input, and shows the first line.
  const options = { env: { COLUMNS: '40' }, input: '{"session_id":"s"}' }
  const line = () => command.run(['status', '--line'], options).stdout
  assert.equal(line(), 'memory: 0 stored by agents in a day; 0 notes told, 0 used\n')
  json(command, lesson('The pool has 4 workers'))
  const { id } = json(command, lesson('src/gate.js: the gate listens on port 9090'), { env: { CLAUDECODE: '1' } })
  const input = { session_id: 's', cwd: command.project, tool_name: 'Edit', tool_input: { file_path: 'src/gate.js' } }
  assert.match(command.run(['hook', 'PreToolUse'], { input: JSON.stringify(input) }).stdout, /listens on port 9090/)
  const last = id.slice(-8)
  const undo = `the last by: forge-memory forget ${last}`
  assert.equal(line(), `memory: 1 stored by agents in a day, ${undo}; 1 note told, 0 used\n`)
  assert.deepEqual(json(command, ['status', '--line']), { state: 'on', stored: [id], waiting: 0, told: 1, used: 0 })
  assert.equal(command.run(['forget', last, '--yes']).status, 0)
  assert.equal(command.run(['pause']).status, 0)
  assert.equal(line(), 'memory: paused; 0 stored by agents in a day; 1 note told, 0 used\n')
})

test('people are shown no JSON, and a date where they ask for one', (t) => {
  const command = freshCommand(t)
  const { id } = json(command, lesson('deploy on Tuesdays'))
  for (const args of [['show', id], ['watch', '--no-follow'], ['timeline']]) {
    const { stdout } = command.run(args)
    assert.match(stdout, /deploy on Tuesdays/)
    assert.doesNotMatch(stdout, /[{}]|":/, args[0])
  }
  for (const args of [['find', 'deploy'], ['list']]) {
    assert.doesNotMatch(command.run(args).stdout, /\d{4}-\d\d-\d\d/)
    assert.match(command.run([...args, '--dates']).stdout, /\d{4}-\d\d-\d\d/)
  }
})
