import assert from 'node:assert/strict'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { Worker } from 'node:worker_threads'
import { roomsNamed } from '../scripts/rooms/named.mjs'
import { freshCommand, json } from './support/command.mjs'
import { freshFolder, readLines, root } from './support/project.mjs'

test('help names every command and every command has help', (t) => {
  const command = freshCommand(t)
  const help = command.run(['--help'])
  assert.deepEqual([help.status, help.stderr], [0, ''])
  for (const args of [[], ['help'], ['-h']]) assert.deepEqual(command.run(args), help)
  const isGroup = ({ path, commands }) =>
    path.length === 1 && ['share', 'agent', 'admin'].includes(path[0]) && commands.length > 0
  const typed = json(command, ['help']).commands.flatMap((each) => (isGroup(each) ? each.commands : [each]))
  const found = roomsNamed('commands').flatMap((room) => readdirSync(join(root, 'lib', room)))
  const files = found.filter((file) => file.endsWith('.ts')).map((file) => file.replace('.ts', ''))
  assert.deepEqual(typed.map(({ path }) => path.at(-1)).sort(), files.sort())
  // What the help of each says is compared with the reference of commands.
  for (const { path, usage, summary } of typed) {
    assert.match(usage, new RegExp(`^forge-memory ${path.join(' ')} `))
    assert.ok(summary.length > 0, path.join(' '))
  }
  for (const path of [['find'], ['share'], ['share', 'store'], ['share', 'store', 'check']]) {
    const own = command.run([...path, '--help'])
    assert.deepEqual([own.status, own.stderr], [0, ''])
    assert.match(own.stdout, new RegExp(`^Usage: forge-memory ${path.join(' ')} `))
    assert.match(own.stdout, / --json /)
    assert.equal(command.run(['help', ...path]).stdout, own.stdout)
  }
})

test('the version is that of the package', (t) => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.deepEqual(freshCommand(t).run(['--version']), { status: 0, stdout: `${version}\n`, stderr: '' })
})

const wrong = [
  [['recal', 'x'], "unknown command 'recal'", 'did you mean recall?'],
  [['help', 'recal'], "unknown command 'recal'", 'did you mean recall?'],
  [['foo'], "unknown command 'foo'", 'forge-memory --help lists the commands'],
  [['hok'], "unknown command 'hok'", 'did you mean hook?'],
  [['code', 'calers'], "unknown command 'calers'", 'did you mean callers?'],
  [['xyzzy'], "unknown command 'xyzzy'", 'forge-memory --help lists the commands'],
  [['recall', 'x', '--limt', '3'], "unknown option '--limt'", 'did you mean --limit?'],
  [
    ['recall', '--runInBand-not-an-option'],
    "unknown option '--runInBand-not-an-option'",
    'forge-memory find --help lists the options; put -- before text that starts with a dash',
  ],
  [['recall', 'x', '--scope', 'gobal'], "option '--scope <scope>' argument 'gobal' is invalid", 'did you mean global?'],
  [
    ['init', '--agent', 'claude', 'cursr'],
    "option '--agent <names...>' argument 'cursr' is invalid",
    'did you mean cursor?',
  ],
  [['find', 'x', '--since', 'soon'], 'since: ', 'forge-memory find --help shows what is accepted'],
  [['completion', 'bsh'], "command-argument value 'bsh' is invalid for argument 'shell'", 'did you mean bash or zsh?'],
  [['recall'], "missing required argument 'query'"],
  [['capture', '--no-such', 'x'], "unknown option '--no-such'"],
  [['capture'], "missing required argument 'body'"],
  [['recall', 'x', '--limit', 'many'], "option '-n, --limit <count>' argument 'many' is invalid"],
  [['recall', 'x', '--scope', 'all of them'], "option '--scope <scope>' argument 'all of them' is invalid"],
  [['show', 'a', 'b'], "too many arguments for 'show'"],
  [['recall', 'x', '--limit'], "option '-n, --limit <count>' argument missing"],
]
for (const [args, message, hint] of wrong) {
  test(`"${args.join(' ')}" is wrong usage: exit 2, a reason and a hint`, (t) => {
    const { status, stdout, stderr } = freshCommand(t).run(args)
    assert.deepEqual([status, stdout], [2, ''])
    const [error, advice, end] = stderr.split('\n')
    assert.ok(error.startsWith(`error: ${message}`), error)
    assert.match(error, / \(INVALID_INPUT\)$/)
    assert.ok(hint === undefined ? advice.startsWith('hint: ') : advice === `hint: ${hint}`, advice)
    assert.equal(end, '')
  })
}

test('the exit code is 2 when the engine refuses invalid input', (t) => {
  const command = freshCommand(t)
  for (const args of [
    ['capture', '--type', 'lesson', '  '],
    ['capture', '--type', 'lesson', 'x', '--confidence', '7'],
  ]) {
    const { status, stdout, stderr } = command.run(args)
    assert.deepEqual([status, stdout], [2, ''], stderr)
    assert.match(stderr, /^error: .+ \(INVALID_INPUT\)\nhint: .+\n$/)
  }
})

test('text after -- may begin with a dash', (t) => {
  const { thought } = json(freshCommand(t), ['capture', '--type', 'lesson', '--', '--runInBand', 'helps'])
  assert.equal(thought.content, '--runInBand helps')
})

test('--json prints exactly one document for every command, also on errors', (t) => {
  const command = freshCommand(t)
  const { id } = json(command, ['capture', '--type', 'lesson', 'Store money as integer cents'])
  const fine = [
    [
      ['capture', '--type', 'lesson', 'another one'],
      ['captured', 'id', 'tiers'],
    ],
    [
      ['save', 'a pattern', '--category', 'convention'],
      ['status', 'id', 'message'],
    ],
    [
      ['recall', 'money'],
      ['query', 'hits', 'searched'],
    ],
    [
      ['recall', 'nothing-like-it'],
      ['query', 'hits', 'searched'],
    ],
    [['list'], ['entries', 'total']],
    [
      ['show', id],
      ['entry', 'record', 'revisions'],
    ],
    [
      ['edit', id, 'Store money as integer cents, always'],
      ['id', 'content', 'supersedes'],
    ],
    [['report'], ['files', 'queue', 'telemetry']],
    [['status'], ['projectDir', 'counts', 'openbrain']],
    [
      ['store', 'check'],
      ['backend', 'place', 'findings', 'ok'],
    ],
    [['drain'], ['state', 'delivered', 'queued']],
    [
      ['search', 'money'],
      ['thoughts', 'backend', 'semantic'],
    ],
    [
      ['replace', id],
      ['retired', 'conflicts', 'unchanged'],
    ],
    [['dlq', 'list'], []],
    [['doctor'], ['0']],
  ]
  for (const [args, keys] of fine) {
    const { status, stdout, stderr } = command.run([...args, '--json'])
    assert.deepEqual([args[0], status, stderr], [args[0], 0, ''])
    const document = JSON.parse(stdout)
    for (const key of keys) assert.ok(key in document, `${args[0]}: ${key}`)
  }
  const bad = [
    [['forget', 'ffffffff'], 1, 'NOT_FOUND'],
    [['recal', 'x'], 2, 'INVALID_INPUT'],
    [['capture', '--type', 'lesson', ''], 2, 'INVALID_INPUT'],
  ]
  for (const [args, exitCode, code] of bad) {
    const { status, stdout, stderr } = command.run(['--json', ...args])
    const { error, ...rest } = JSON.parse(stdout)
    assert.deepEqual([status, error.code, rest], [exitCode, code, {}])
    assert.deepEqual([typeof error.message, typeof error.hint], ['string', 'string'])
    assert.ok(stderr.startsWith(`error: ${error.message} (${code})\n`), stderr)
  }
})

test('--project works before and after the command', (t) => {
  const command = freshCommand(t)
  const elsewhere = join(command.folder, 'else where')
  mkdirSync(elsewhere)
  command.run(['--project', elsewhere, 'capture', '--type', 'lesson', 'the first'])
  command.run(['capture', '--type', 'lesson', 'another second', '--project', elsewhere])
  assert.ok(!existsSync(join(command.project, '.forge')))
  assert.equal(json(command, ['list', '--project', elsewhere]).total, 2)
  assert.equal(json(command, ['list']).total, 0)
  const deep = join(elsewhere, 'a', 'b')
  mkdirSync(deep, { recursive: true })
  assert.equal(json(command, ['list'], { cwd: deep }).total, 2)
})

test('nothing stored can send control characters to a terminal', (t) => {
  const command = freshCommand(t)
  const hostile = 'red \u001b[31m bell \u0007 csi \u009b2J bidi \u202e line \u2028 tag \u{e0041} end'
  command.run(['capture', '--type', 'lesson', '-'], { input: hostile })
  // A file that came with a clone can hold such characters in every field.
  const log = join(command.project, '.forge', 'memory-captures.jsonl')
  const [stored] = readLines(log)
  const fields = {
    content: `${hostile} again`,
    type: `lesson${hostile}`,
    source: hostile,
    tags: [hostile],
    created_by: hostile,
  }
  writeFileSync(log, `${JSON.stringify({ ...stored, ...fields, id: `mem_\u001b[2J${'0'.repeat(20)}` })}\n`, {
    flag: 'a',
  })
  writeFileSync(join(command.project, '.forge', 'odd\u009b2J.jsonl'), '{}\n')
  const { entries } = json(command, ['list'])
  assert.equal(entries.length, 2)
  const { id } = stored
  const outputs = [
    ['list'],
    ['recall', 'bell'],
    ['show', id],
    ['report'],
    ['status'],
    ['doctor'],
    ['forget', 'x\u001b[2J'],
  ]
  for (const args of outputs.flatMap((args) => [args, ['--json', ...args]])) {
    const { stdout, stderr } = command.run(args)
    const unsafe = [...`${stdout}${stderr}`].filter(
      (character) => character !== '\n' && /[\p{Cc}\p{Zl}\u202e\u{e0041}]/u.test(character),
    )
    assert.deepEqual([args, unsafe], [args, []])
  }
  assert.match(command.run(['list']).stdout, /red \\u\{1b\}\[31m bell \\u\{7\}/)
  assert.equal(json(command, ['show', id]).entry.text, hostile)
})

test('colours appear when forced, and never with NO_COLOR', (t) => {
  const command = freshCommand(t)
  command.run(['capture', '--type', 'lesson', 'Store money as integer cents'])
  const recalled = (env) => command.run(['recall', 'MONEY'], { env }).stdout
  assert.ok(!recalled({}).includes('\u001b'))
  const colored = recalled({ FORCE_COLOR: '1' })
  assert.ok(colored.includes('\u001b[1m\u001b[4mmoney\u001b[24m\u001b[22m'), JSON.stringify(colored))
  assert.ok(!recalled({ FORCE_COLOR: '1', NO_COLOR: '1' }).includes('\u001b'))
  assert.ok(!recalled({ FORCE_COLOR: '0' }).includes('\u001b'))
  assert.ok(
    command
      .run(['show', 'ffffffff'], { env: { FORCE_COLOR: '1' } })
      .stderr.startsWith('\u001b[1m\u001b[31merror:\u001b[39m\u001b[22m '),
  )
})

test('recall marks the words it matched, in every spelling and nowhere else', (t) => {
  const command = freshCommand(t)
  const marked = (text, query) => {
    const { id } = json(command, ['capture', '--type', 'lesson', text])
    const { stdout } = command.run(['recall', query], { env: { FORCE_COLOR: '1' } })
    command.run(['forget', id])
    return stdout
      .split('\n')[0]
      .slice('1. '.length)
      .replaceAll('\u001b[1m\u001b[4m', '<')
      .replaceAll('\u001b[24m\u001b[22m', '>')
      .trim()
  }
  assert.equal(marked('Mocking the mocks, not smocks', 'mock'), '<Mocking> the <mocks>, not smocks')
  assert.equal(marked('The café is closed', 'CAFE'), 'The <café> is closed')
  assert.equal(marked('w1 and w10, wide', 'w1'), '<w1> and w10, wide')
  assert.equal(marked('この教訓を覚える', '教訓'), 'この<教訓>を覚える')
  assert.equal(marked('a.*b (c) costs $5', 'costs ( $5'), 'a.*b (c) <costs> $<5>')
})

test('text is laid out for the width of the page, wide characters counted double', (t) => {
  const command = freshCommand(t)
  command.run(['capture', '--type', 'lesson', `${'教訓'.repeat(30)} and ${'word '.repeat(30)}`])
  const env = { COLUMNS: '50' }
  const cells = (line) =>
    [...line].reduce((sum, character) => sum + (character > '\u1100' && character !== '…' ? 2 : 1), 0)
  for (const args of [['recall', 'word'], ['list']]) {
    const lines = command.run(args, { env }).stdout.split('\n')
    assert.ok(
      lines.every((line) => cells(line) <= 50),
      lines.join('\n'),
    )
    assert.ok(
      lines.some((line) => cells(line) > 44),
      lines.join('\n'),
    )
  }
  const [, row] = command.run(['list'], { env }).stdout.split('\n')
  assert.match(row, /…$/)
  assert.equal(command.run(['list']).stdout.split('\n').length, 3)
})

test('bars and marks stay in ASCII where the locale is not UTF-8', (t) => {
  const command = freshCommand(t)
  command.run(['capture', '--type', 'lesson', 'one'])
  const { stdout } = command.run(['report'], { env: { LANG: 'C', WT_SESSION: '', TERM_PROGRAM: '', ConEmuTask: '' } })
  assert.match(stdout, /##/)
  assert.doesNotMatch(stdout, /[^\n\x20-\x7e]/)
})

test('a long wait is shown, and its line is erased when the work is done', async (t) => {
  const folder = freshFolder(t)
  const file = join(folder, 'terminal')
  const descriptor = openSync(file, 'w')
  const words = new Int32Array(new SharedArrayBuffer(8))
  const workerData = { words, delayMs: 1, descriptor, width: 80, project: {}, verb: 'verifying', unit: 'bytes' }
  const thread = new Worker(join(root, 'dist', 'cli', 'waiting-thread.js'), { workerData })
  const exited = new Promise((resolve) => thread.once('exit', resolve))
  while (Atomics.load(words, 1) === 0 || readFileSync(file, 'utf8') === '')
    await new Promise((resolve) => setImmediate(resolve))
  Atomics.store(words, 0, 1)
  Atomics.notify(words, 0)
  assert.equal(await exited, 0)
  closeSync(descriptor)
  const drawn = readFileSync(file, 'utf8').replaceAll('\r\u001b[2K', '<erased>').replaceAll('\u001b[K', '<rest>')
  assert.match(drawn, /^(\rverifying {2}\d+ s<rest>)+<erased>$/)
  assert.equal(Atomics.load(words, 1), 0)
})
