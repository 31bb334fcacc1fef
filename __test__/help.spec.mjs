import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import test from 'node:test'
import { described, helpOf, helpOfAll, pathsOf } from '../scripts/cli-reference.mjs'
import { freshCommand, json } from './support/command.mjs'
import { root } from './support/project.mjs'

const DAILY = 'init add find list show edit forget undo review dashboard status doctor'.split(' ')
const GROUPS = ['share', 'code', 'agent', 'admin']
const program = described()
const withOwn = (command) => [command, ...command.commands.flatMap(withOwn)]
const all = withOwn(program).slice(1)
/** The help of every command on a page of 80 columns, printed by one process. */
const pages = helpOfAll(pathsOf(program), 80)
const pageOf = (path) => pages.get(path.join(' '))
const named = (...path) => all.find((command) => command.path.join(' ') === path.join(' '))

test('a command that is started on its own prints the same help', () => {
  for (const path of [[], ['add'], ['share'], ['agent', 'history'], ['agent', 'history', 'search']])
    assert.equal(helpOf(path, 80), pageOf(path))
})

test('the first page fits a terminal of 80 columns and 24 lines, and begins with what people do every day', () => {
  const page = `${pageOf([])}\n`
  assert.equal(page, readFileSync(join(root, '__test__', 'data', 'help-80x24.txt'), 'utf8'))
  // The last line is that of the next command.
  assert.ok(page.split('\n').length <= 24)
  const listed = [...page.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name)
  assert.deepEqual(listed, [...DAILY, ...GROUPS])
  assert.deepEqual(
    program.commands.map(({ path }) => path[0]),
    listed,
  )
})

test('the first page fits a terminal of 40 columns', () => {
  const lines = helpOf([], 40).split('\n')
  assert.deepEqual(
    lines.filter((line) => line.length > 40),
    [],
  )
  assert.ok(lines.includes('  find       find what is known about a'), lines.join('\n'))
})

/** What is typed instead of each other name, with the words that the two have in common. */
const ALIASES = {
  capture: ['add'],
  save: ['add'],
  recall: ['find'],
  search: ['find'],
  ls: ['list'],
  rm: ['forget'],
  conflicts: ['review'],
  serve: ['dashboard'],
  lattice: ['code'],
  useful: ['agent', 'rate'],
  wrong: ['agent', 'rate'],
  remember: ['add'],
  get: ['show'],
  delete: ['forget'],
  remove: ['forget'],
  resume: ['agent', 'pause'],
  today: ['status'],
  ...Object.fromEntries(
    [
      ['share', 'export import drain dlq store brain merge-driver'],
      ['agent', 'backfill history import-memories sync-memories mcp hook stats pause ralph'],
      [
        'admin',
        'keep replace report verify compact migrate-memory trust model embed watch timeline anvil completion tour',
      ],
    ].flatMap(([group, names]) => names.split(' ').map((name) => [name, [group, name]])),
  ),
}

test('every other name of a command is that command, and no list has it', () => {
  const names = Object.keys(ALIASES)
  const asked = helpOfAll([...names.map((name) => [name]), ...names.map((name) => ['-j', name])], 80)
  for (const name of names) {
    assert.equal(asked.get(name), pageOf(ALIASES[name]), name)
    assert.deepEqual(JSON.parse(asked.get(`-j ${name}`)), named(...ALIASES[name]), name)
  }
  const typed = new Set(program.commands.map(({ path }) => path[0]))
  assert.deepEqual(
    names.filter((name) => typed.has(name)),
    [],
  )
})

test('other names do what they did: with their options, their answers and their failures', (t) => {
  const command = freshCommand(t)
  const said = json(command, ['capture', '-t', 'lesson', 'Store money as integer cents'])
  assert.equal(json(command, ['recall', 'money']).hits[0].id, said.id)
  const saved = json(command, ['save', '--category', 'test_command', 'npm test -- --only node'])
  assert.deepEqual(
    [saved.status, saved.message],
    ['saved', 'Saved to project memory [test_command]: npm test -- --only node'],
  )
  assert.equal(json(command, ['ls']).total, 2)
  assert.equal(typeof json(command, ['search', '-n', '1', 'money']).backend, 'string')
  assert.deepEqual(json(command, ['conflicts']), [])
  assert.equal(json(command, ['useful', said.id]).verdicts.useful, 1)
  assert.equal(json(command, ['wrong', said.id]).verdicts.wrong, 1)
  assert.equal(json(command, ['pause', '--for', '1h']).everywhere, false)
  assert.equal(json(command, ['resume']).wasPaused, true)
  assert.deepEqual(json(command, ['today']), json(command, ['status', '--today']))
  assert.equal(json(command, ['-p', command.project, 'rm', said.id]).removed, true)
  assert.match(command.run(['lattice', 'stat']).stdout, /forge-memory code index/)
  const { stdout: version } = command.run(['--version'])
  assert.equal(command.run(['version']).stdout, version)
  for (const args of [['version'], ['--version'], ['-V']])
    assert.deepEqual(json(command, args), { version: version.trim() })
})

test('add keeps a memory for all projects, and find looks where it is told to', (t) => {
  const command = freshCommand(t)
  const saved = json(command, ['add', '-t', 'convention', '--scope', 'global', 'Makefiles use tabs'])
  assert.equal(saved.message, 'Saved to global memory [convention]: Makefiles use tabs')
  const refused = (...args) => command.run(args).stderr
  assert.match(refused('add', '-t', 'gotcha', '--scope', 'global', 'x'), /^error: category: .*\(INVALID_INPUT\)/)
  assert.match(
    refused('add', '-t', 'convention', '--scope', 'global', '--source', 'a/b', 'x'),
    /what is for all projects has no source/,
  )
  for (const at of ['one', 'two', 'three'])
    json(command, ['add', '-t', 'lesson', `The queue is drained at ${at}, queue queue`])
  json(command, ['add', '-t', 'lesson', 'The queue has a lock of its own, as of today'])
  const texts = (...args) => json(command, ['find', 'queue', ...args]).hits.map(({ text }) => text)
  assert.deepEqual(texts('--newest', '-n', '1', '--all'), ['The queue has a lock of its own, as of today'])
  assert.equal(json(command, ['find', '--shared', 'queue']).backend !== undefined, true)
  assert.match(refused('find', '--shared', '--explain', 'queue'), /'--shared' cannot be used with option '--explain'/)
  assert.match(refused('find', '--project-name', 'shop', 'queue'), /--project-name requires --shared/)
  assert.match(refused('find', '--shared', '-t', 'a', '-t', 'b', 'queue'), /one type at a time/)
})

test('every command has two examples of itself in its help', () => {
  for (const { path, examples, commands } of all) {
    assert.ok(new Set(examples).size >= 2, `${path.join(' ')} has two examples`)
    const own = commands.length > 0 ? '' : ` ${path.join(' ')}( |"|$)`
    for (const line of examples) assert.match(line, new RegExp(`forge-memory${own}`))
    const help = pageOf(path)
    assert.ok(help.includes(`\n\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`), path.join(' '))
  }
})

test('the help of a command whose JSON is not one document says so', () => {
  for (const [name, what] of [
    ['watch', /With --json, each event is a JSON document on a line of its own/],
    ['tour', /it has no JSON, and refuses --json/],
  ])
    assert.match(pageOf(['admin', name]).replaceAll(/\s+/g, ' '), what)
})

test('no line of any help is wider than the page', () => {
  for (const path of [[], ...all.map((command) => command.path)]) {
    const wide = pageOf(path)
      .split('\n')
      .filter((line) => line.length > 80)
    assert.deepEqual([path, wide], [path, []])
  }
})

/** Values that have no default: the text of the option says what happens without it. */
const WITHOUT_DEFAULT = /^only |^with --again: only |^(where|who|the loop|the iteration|the id of a chunk) /

test('options with a number or with choices state their default', () => {
  for (const { path, options } of all) {
    for (const { flags, value, choices, description, default: usual, isRequired } of options) {
      if (value === undefined || isRequired || usual !== undefined || WITHOUT_DEFAULT.test(description)) continue
      const isMeasured = choices !== undefined || ['count', 'number', 'ms', 'MiB'].includes(value)
      assert.ok(!isMeasured || description.startsWith('which of them'), `${path.join(' ')} ${flags}: no default`)
    }
  }
})

test('types, limits, the project and JSON have short flags everywhere', () => {
  for (const { path, options } of all.filter(({ path }) => path.length > 0)) {
    const longs = new Map(options.map(({ long, short }) => [long, short]))
    for (const [long, short] of [
      ['--type', '-t'],
      ['--limit', '-n'],
    ])
      if (longs.has(long)) assert.equal(longs.get(long), short, path.join(' '))
    assert.match(pageOf(path), / -j, --json .*\n +-p, --project <dir> /)
  }
})

test('short flags mean what the long ones mean, before and after the command', (t) => {
  const command = freshCommand(t)
  assert.equal(command.run(['add', '-t', 'lesson', 'one']).status, 0)
  assert.equal(command.run(['add', '-t', 'gotcha', 'two jj']).status, 0)
  const texts = (...args) => JSON.parse(command.run(args).stdout).entries.map(({ text }) => text)
  assert.deepEqual(texts('ls', '-j'), ['two jj', 'one'])
  assert.deepEqual(texts('-j', 'list', '-n', '1'), ['two jj'])
  assert.deepEqual(texts('list', '-jn1'), ['two jj'])
  assert.deepEqual(texts('list', '-t', 'lesson', '-j', '-p', command.project), ['one'])
  // The j of a value is not a flag.
  const { stdout, stderr } = command.run(['list', '-tjjj'])
  assert.deepEqual([stdout, /has the type jjj \(/.test(stderr)], ['', true])
  const failed = command.run(['show', '-j'])
  assert.equal(JSON.parse(failed.stdout).error.code, 'INVALID_INPUT')
})

test('a group without one of its commands prints its help', (t) => {
  const command = freshCommand(t)
  const groups = all.filter(({ commands }) => commands.length > 0)
  assert.ok(groups.length >= 10)
  for (const { path } of groups) {
    const { status, stdout, stderr } = command.run(path)
    assert.deepEqual([status, stderr], [0, ''])
    assert.equal(stdout, command.run([...path, '--help']).stdout)
    assert.deepEqual(json(command, path), named(...path))
    const unknown = command.run([...path, 'xyzzy'])
    assert.deepEqual([unknown.status, unknown.stdout], [2, ''])
    assert.match(unknown.stderr, /^error: unknown command 'xyzzy'/)
  }
})

test('help of a command in a group is found in both ways', (t) => {
  const command = freshCommand(t)
  const help = command.run(['history', 'search', '--help']).stdout
  assert.match(help, /^Usage: forge-memory agent history search /)
  assert.equal(command.run(['help', 'history', 'search']).stdout, help)
  assert.deepEqual(json(command, ['help', 'history', 'search']), named('agent', 'history', 'search'))
  assert.deepEqual(json(command, ['history', 'search', '-h']), named('agent', 'history', 'search'))
})

test('a hint names the command that was typed', (t) => {
  const command = freshCommand(t)
  for (const [args, path] of [
    [['capture', '--confidence', 'many', 'x'], 'add'],
    [['add', '--confidence', 'many', 'x'], 'add'],
    [['lattice', 'query', '--limit', 'many', 'x'], 'code query'],
    [['history', 'forget'], 'agent history forget'],
  ]) {
    const { status, stderr } = command.run(args)
    assert.equal(status, 2)
    assert.match(
      stderr.split('\n')[1],
      new RegExp(`^hint: (?:.+; )?forge-memory ${path} --help shows what is accepted$`),
    )
  }
  const { stderr } = command.run(['add', '-t', 'gotcha'])
  assert.match(stderr, /^hint: for example forge-memory add "\w+ /m, 'what is missing is shown in an example')
})

const CODE = `export function parseDate(text) {
  return new Date(text)
}
export class Stack {
  push(item) {
    return parseDate(item)
  }
}
`

/** A project in which the examples have something to work on, and a shell that finds the command. */
function exampleProject(t) {
  const command = freshCommand(t, { HF_ENDPOINT: 'http://127.0.0.1:9', FORGE_MEMORY_TOKEN: '' })
  const { project, folder } = command
  const write = (name, text) => writeFileSync(join(project, name), text)
  mkdirSync(join(project, 'src'))
  mkdirSync(join(project, 'docs'))
  write('src/date.js', CODE)
  write('notes.md', '# Notes\n\n- The queue is drained at night.\n')
  write('thoughts.jsonl', '{"content":"The queue is drained at night.","type":"lesson"}\n')
  for (const name of ['base.jsonl', 'ours.jsonl', 'theirs.jsonl']) write(name, '')
  // What an agent says against a person is in conflict with it.
  const speakers = { 'The gate listens on port 8080': {}, 'The gate listens on port 9090': { CLAUDECODE: '1' } }
  const ids = Object.entries(speakers).map(([text, env]) => {
    return json(command, ['capture', '--type', 'lesson', text], { env }).id.slice(-8)
  })
  for (const type of ['gotcha', 'decision']) json(command, ['capture', '--type', type, `The first ${type} of all`])
  write('memory.jsonl', command.run(['export']).stdout)
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'forge-memory'), `#!/bin/sh\nexec '${process.execPath}' '${command.program}' "$@"\n`)
  chmodSync(join(bin, 'forge-memory'), 0o755)
  return { command, ids, bin, home: folder }
}

/** Runs a line in a shell, until it ends or, when it never does, until it has said something. */
function runLine(line, { command, bin, home }, cwd, isEndless) {
  return new Promise((resolve) => {
    const env = command.env({ PATH: `${bin}${delimiter}${process.env.PATH}`, HOME: home, GIT_CONFIG_NOSYSTEM: '1' })
    const child = spawn('sh', ['-c', isEndless ? `exec ${line}` : line], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [output, document] = ['', '']
    const take = (text) => {
      output += text
      if (isEndless) child.kill('SIGTERM')
    }
    child.stdout.on('data', take)
    child.stdout.on('data', (text) => {
      document += text
    })
    child.stderr.on('data', take)
    child.on('close', (status) => resolve({ status, output, document }))
  })
}

const GIT =
  'git init -q . && git add src && git -c user.name=a -c user.email=a@b commit -qm "Use tabs" && git tag v1.2.0'
/** They go on until they are stopped, so they run where there is something to tell at once. */
const ENDLESS = /^forge-memory (dashboard|admin watch$)|--http /
/** What the examples do not have here: a network, a model, a store, dead letters, another agent, a terminal. */
const LACKS =
  /No past session was found|\((IO|NOT_FOUND|MODEL_MISSING|UNSUPPORTED)\)|no dead letter has|No agent was found|^state +missing|asks for confirmation|opens without one|is not a link/m

/** They print no document: a protocol, one for each event, and what a person is shown. */
const WITHOUT_DOCUMENT = ['agent mcp', 'agent acp', 'admin watch', 'admin tour']

test('every example runs, and with --json each command prints one document', async (t) => {
  const at = exampleProject(t)
  const made = await runLine(`${GIT} && forge-memory code index`, at, at.command.project)
  assert.equal(made.status, 0, made.output)
  const own = all.filter(({ commands }) => commands.length === 0)
  const lines = new Set(own.flatMap(({ examples }) => examples))
  assert.ok(lines.size >= 2 * own.length)
  mkdirSync(join(at.home, 'other-project'))
  const filled = (line) =>
    line
      .replaceAll('7f3a9c21', at.ids[0])
      .replaceAll('5b0d4e88', at.ids[1])
      .replace(/^FORGE/, 'env FORGE')
  const failed = []
  for (const [number, line] of [...lines].entries()) {
    const copy = join(at.home, `copy-${number}`)
    cpSync(at.command.project, copy, { recursive: true })
    const isEndless = ENDLESS.test(line)
    const { status, output } = await runLine(filled(line), at, isEndless ? at.command.project : copy, isEndless)
    const isFine = status === 0 || (isEndless && status === null) || LACKS.test(output)
    if (!isFine) failed.push({ line, status, output })
  }
  assert.deepEqual(failed, [])

  const isDocument = (text) => {
    try {
      return typeof JSON.parse(text) === 'object'
    } catch {
      return false
    }
  }
  const wrong = []
  for (const [number, { path, examples }] of own.entries()) {
    const line = examples.find((each) => /^forge-memory [^|>#$]+$/.test(each) && !ENDLESS.test(each))
    if (line === undefined || WITHOUT_DOCUMENT.includes(path.join(' '))) continue
    const copy = join(at.home, `json-${number}`)
    cpSync(at.command.project, copy, { recursive: true })
    // One sets the store that all others would use.
    const home = join(at.home, `home-${number}`)
    cpSync(at.command.home, home, { recursive: true })
    const env = (more) => at.command.env({ ...more, FORGE_HOME: home })
    const here = { ...at, command: { ...at.command, env } }
    const { document, output } = await runLine(`${filled(line)} --json`, here, copy, false)
    if (!isDocument(document)) wrong.push({ line, output })
  }
  assert.deepEqual(wrong, [])
})
