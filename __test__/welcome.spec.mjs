// forge-memory without arguments on a terminal: it looks, offers, and does only what is chosen.
import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'
import { KEY, talk } from './support/dialogue.mjs'
import { filesUnder, freshFolder } from './support/project.mjs'
import { hasTerminal } from './support/terminal.mjs'

const onTerminal = hasTerminal ? test : () => {}

/** A machine with nothing of the developer's on it. */
function freshMachine(t) {
  const user = freshFolder(t)
  const command = freshCommand(t, { HOME: user, XDG_CONFIG_HOME: '', XDG_DATA_HOME: '', PATH: '/usr/bin:/bin' })
  return { ...command, user }
}

const greeted = (command, turns) =>
  talk([process.execPath, command.program], turns, { cwd: command.project, env: command.env() })

const everything = (command) => [...filesUnder(command.folder), ...filesUnder(command.user)]

onTerminal('on a bare machine it says so, offers the first steps, and changes nothing when one leaves', async (t) => {
  const command = freshMachine(t)
  const before = everything(command)
  for (const key of [KEY.escape, KEY.interrupt, KEY.down.repeat(3) + KEY.enter]) {
    const { status, screen } = await greeted(command, [['What would you like to do?', key]])
    assert.equal(status, 0, screen)
    assert.match(screen, /^forge-memory \d+\.\d+\.\d+: memory for coding agents\n/)
    assert.match(screen, /^project +\S+project {2}not a git repository$/m)
    assert.match(screen, /^memory +none yet$/m)
    assert.match(screen, /^agents +none found$/m)
    assert.match(screen, /^past sessions +none found$/m)
    assert.match(screen, /Set up an agent[\s\S]+Open the dashboard[\s\S]+List all commands[\s\S]+Nothing now/)
    assert.doesNotMatch(screen, /Learn from/)
    assert.match(screen, /Nothing was changed\. forge-memory --help lists the commands\.\n$/)
  }
  assert.deepEqual(everything(command), before)
})

onTerminal('it says what a person should look at', async (t) => {
  const command = freshMachine(t)
  const agent = { env: { CLAUDECODE: '1' } }
  json(command, ['add', '-t', 'lesson', 'The pool has 4 workers'], agent)
  json(command, ['add', '-t', 'lesson', 'The pool has 8 workers'], agent)
  writeFileSync(join(command.project, '.forge.json'), '{"review":"agents"}')
  json(command, ['add', '-t', 'lesson', 'Tokens expire at noon'], agent)
  const { screen } = await greeted(command, [['What would you like to do?', KEY.escape]])
  assert.match(screen, /^to look at +1 waits for review \(forge-memory review\), 1 retired by agents this week /m)
})

onTerminal('it counts agents, past sessions and records, and knows git', async (t) => {
  const command = freshMachine(t)
  json(command, ['capture', '--type', 'lesson', 'Store money as integer cents'])
  mkdirSync(join(command.project, '.git'))
  mkdirSync(join(command.project, '.cursor'))
  const sessions = join(command.user, '.claude', 'projects', 'p')
  mkdirSync(sessions, { recursive: true })
  for (const name of ['one', 'two', 'three']) writeFileSync(join(sessions, `${name}.jsonl`), 'not read at all\n')
  const before = everything(command)
  const { screen } = await greeted(command, [['What would you like to do?', KEY.escape]])
  assert.match(screen, /^project +\S+ {2}a git repository$/m)
  assert.match(screen, /^memory +1 memory$/m)
  assert.match(screen, /^agents +Claude Code \(~\/\.claude\), Cursor \(\.cursor\)$/m)
  assert.match(screen, /^past sessions +3 files of Claude Code$/m)
  assert.match(screen, /Learn from 3 past session files/)
  assert.deepEqual(everything(command), before)
})

onTerminal('what is chosen runs as the command of that name, which asks for itself', async (t) => {
  const command = freshMachine(t)
  const before = everything(command)
  const setUp = await greeted(command, [
    ['What would you like to do?', KEY.enter],
    ['$ forge-memory init', ''],
    ['For whom should it be set up?', KEY.enter],
    ['Which agents should use forge-memory', KEY.escape],
  ])
  assert.equal(setUp.status, 1, setUp.screen)
  assert.match(setUp.screen, /Nothing was written/)
  const help = await greeted(command, [['What would you like to do?', KEY.down + KEY.down + KEY.enter]])
  assert.equal(help.status, 0)
  assert.match(help.screen, /\$ forge-memory --help\nDurable memory for coding agents/)
  assert.deepEqual(everything(command), before)
})

onTerminal('a memory that cannot be opened is said, and the rest is offered', async (t) => {
  const command = freshMachine(t)
  const elsewhere = join(command.folder, 'elsewhere')
  mkdirSync(elsewhere)
  json(command, ['capture', '--type', 'lesson', 'Someone else learned this', '--project', elsewhere])
  symlinkSync(join(elsewhere, '.forge'), join(command.project, '.forge'))
  const { status, screen } = await greeted(command, [['What would you like to do?', KEY.escape]])
  assert.equal(status, 0)
  assert.match(screen, /^memory +cannot be read: /m)
  assert.match(screen, /Set up an agent/)
})

test('without a terminal it prints the help, as before', (t) => {
  const command = freshMachine(t)
  const { status, stdout, stderr } = command.run([])
  assert.deepEqual([status, stderr], [0, ''])
  assert.equal(stdout, command.run(['--help']).stdout)
})

/** Words of this project's own. Each is explained where its feature is used. */
const OWN_WORDS = /\b(thoughts?|openbrain|embedded|drain(ed)?|dlq|dead letters?|hallmark|anvil|lattice|ralph|brain)\b/i

test('what a newcomer reads in the first hour has no words of our own', (t) => {
  const command = freshCommand(t)
  for (const args of [
    ['--help'],
    ['init', '--help'],
    ['init', '--agent', 'claude', '--yes'],
    ['init', '--agent', 'codex', '--scope', 'project', '--dry-run'],
    ['add', 'The gate takes 12 s'],
    ['add', '-t', 'decision', 'The API listens on port 8080'],
    ['add', '-t', 'decision', 'The API listens on port 9090'],
    ['find', 'gate'],
    ['find', 'zebra'],
    ['search', 'gate'],
    ['search', 'zebra'],
    ['status'],
    ['status', '--today'],
    ['doctor'],
    ['list'],
    ['undo'],
    ['help', 'add'],
    ['help', 'find'],
    ['help', 'status'],
  ]) {
    const { stdout, stderr } = command.run(args)
    assert.ok(stdout.length > 10, `${args.join(' ')}: ${stderr}`)
    assert.doesNotMatch(`${stdout}${stderr}`, OWN_WORDS, args.join(' '))
  }
})
