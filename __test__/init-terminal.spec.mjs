// `init` as people meet it: a list of agents, a table of files, the diff when they ask for it.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'
import { KEY, talk } from './support/dialogue.mjs'
import { filesUnder, freshFolder } from './support/project.mjs'
import { hasTerminal } from './support/terminal.mjs'

/** A machine on which no agent is installed. */
const bareMachine = (t) => freshCommand(t, { HOME: freshFolder(t), XDG_CONFIG_HOME: '', PATH: '/usr/bin:/bin' })
const onTerminal = hasTerminal ? test : () => {}

const talkTo = (command, args, turns, options = {}) =>
  talk([process.execPath, command.program, ...args], turns, { cwd: command.project, env: command.env(), ...options })

test('a table of files comes first: what happens to each, and why', (t) => {
  const command = bareMachine(t)
  writeFileSync(join(command.project, '.gitignore'), 'node_modules\n')
  writeFileSync(join(command.project, 'AGENTS.md'), '# Rules\n')
  const { stdout } = command.run(['init', '--scope', 'project', '--agent', 'cursor', '--dry-run'])
  const [table] = stdout.split('\n\n')
  assert.match(table, /^file +what +why\n/)
  assert.match(table, /^\.cursor\/mcp\.json +new, \d+ lines +starts the MCP server for Cursor$/m)
  assert.match(table, /^\.cursor\/hooks\.json +new, \d+ lines +hooks that give Cursor notes$/m)
  assert.match(table, /^\.gitignore +changed, \+7 -0 +keeps keys and derived files out of commits$/m)
  assert.match(table, /^AGENTS\.md +changed, \+\d+ -0 +tells Cursor when to recall and to save$/m)
  const all = command.run(['init', '--scope', 'project', '--agent', 'all', '--dry-run'], {
    env: { COLUMNS: '80' },
  }).stdout
  assert.match(all, /^AGENTS\.md +changed.* tells \d+ agents when/m)
  for (const line of all.split('\n\n')[0].split('\n')) assert.ok(line.length <= 80, line)
})

test('the table names what a removal takes out, and each file is explained in the document', (t) => {
  const command = bareMachine(t)
  const { changes } = JSON.parse(
    command.run(['init', '--scope', 'project', '--agent', 'claude', '--yes', '--json']).stdout,
  )
  assert.ok(changes.every(({ why }) => why.length > 10))
  const { stdout } = command.run(['init', '--remove', '--dry-run'])
  assert.match(stdout, /^\.mcp\.json +removed +removes what init has written$/m)
})

test('what to do next is said after the files are written, and not after a removal', (t) => {
  const command = bareMachine(t)
  const { stdout } = command.run(['init', '--scope', 'project', '--agent', 'claude', '--yes'])
  assert.match(
    stdout,
    /\n\nNext\n {2}Restart your agents .*\n {2}forge-memory doctor --agents .*\n {2}forge-memory backfill /,
  )
  assert.match(stdout, / forge-memory init --remove +undoes this\n$/)
  assert.doesNotMatch(command.run(['init', '--remove', '--yes']).stdout, /Next/)
})

onTerminal('a list offers what was found, space toggles, and only what is marked is written', async (t) => {
  const command = bareMachine(t)
  mkdirSync(join(command.project, '.cursor'))
  const { status, screen } = await talkTo(
    command,
    ['init'],
    [
      // For me is the default; for everybody is below it.
      ['For whom should it be set up?', KEY.down + KEY.enter],
      // Cursor was found and is marked, Claude Code comes after it: unmark the first, mark the second.
      ['Cursor  (found: .cursor)', KEY.space],
      ['◻ Cursor', KEY.down],
      ['◻ Claude Code', KEY.space],
      ['◼ Claude Code', KEY.enter],
      ['Write this?', KEY.enter],
    ],
  )
  assert.equal(status, 0, screen)
  assert.match(screen, /\.mcp\.json +new, \d+ lines +starts the MCP server for Claude Code/)
  assert.doesNotMatch(screen, /^\+\+\+ /m)
  assert.match(screen, /\nNext\n/)
  assert.ok(existsSync(join(command.project, '.mcp.json')))
  assert.ok(!existsSync(join(command.project, '.cursor', 'mcp.json')))
})

onTerminal(
  'without colours a list shows the line under the cursor, what is marked, and what it is waiting for',
  async (t) => {
    const command = bareMachine(t)
    mkdirSync(join(command.project, '.cursor'))
    const env = command.env({ NO_COLOR: '1', FORCE_COLOR: undefined })
    const turns = [
      ['❯ ◼ Cursor', KEY.space],
      ['❯ ◻ Cursor', KEY.enter],
      ['Mark at least one with space, or leave with Escape.', KEY.down],
      ['❯ ◻ Claude Code', KEY.space],
      ['❯ ◼ Claude Code', KEY.enter],
      ['● Yes', KEY.down],
      ['● Show every line', KEY.escape],
    ]
    const { status, raw } = await talkTo(command, ['init', '--scope', 'project'], turns, { env })
    assert.equal(status, 1, raw)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence that sets a colour
    assert.doesNotMatch(raw, /\u001b\[3[1-7]m/)
  },
)

onTerminal('programs on the PATH and folders of the user mark an agent as well', async (t) => {
  const folder = freshFolder(t)
  mkdirSync(join(folder, '.gemini', 'tmp'), { recursive: true })
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin', 'codex'), '#!/bin/sh\n', { mode: 0o755 })
  const command = freshCommand(t, { HOME: folder, XDG_CONFIG_HOME: '', PATH: `${folder}/bin:/usr/bin:/bin` })
  const { status, screen } = await talkTo(command, ['init', '--scope', 'project'], [['Which agents', KEY.escape]])
  assert.equal(status, 1)
  assert.match(screen, /◼ Codex {2}\(found: codex on the PATH\)/)
  assert.match(screen, /◼ Gemini CLI {2}\(found: ~\/\.gemini\/tmp\)/)
  assert.match(screen, /◻ Claude Code\n/)
})

onTerminal('the diff is one key away, and no is an answer', async (t) => {
  const command = bareMachine(t)
  const { status, screen } = await talkTo(
    command,
    ['init', '--scope', 'project', '--agent', 'claude'],
    [
      ['Write this?', KEY.down + KEY.enter],
      ['+++ b/.gitignore', ''],
      ['Write this?', KEY.down + KEY.enter],
    ],
  )
  assert.equal(status, 1, screen)
  assert.match(screen, /Nothing was written\.\n$/)
  assert.deepEqual(filesUnder(command.project), [])
})

onTerminal('--diff shows the diff at once, and --remove asks before it removes', async (t) => {
  const command = bareMachine(t)
  const shown = await talkTo(
    command,
    ['init', '--scope', 'project', '--agent', 'claude', '--diff'],
    [['Write this?', KEY.enter]],
  )
  assert.ok(shown.screen.indexOf('+++ b/.mcp.json') < shown.screen.indexOf('Write this?'))
  assert.match(readFileSync(join(command.project, '.mcp.json'), 'utf8'), /forge-memory/)
  const removed = await talkTo(command, ['init', '--remove'], [['Remove this?', KEY.enter]])
  assert.equal(removed.status, 0, removed.screen)
  assert.deepEqual(filesUnder(command.project), [])
})

onTerminal('Escape and Control-C leave every question, and nothing is written', async (t) => {
  for (const key of [KEY.escape, KEY.interrupt]) {
    const command = bareMachine(t)
    for (const [args, question] of [
      [['init'], 'For whom'],
      [['init', '--scope', 'project'], 'Which agents'],
      [['init', '--scope', 'project', '--agent', 'claude'], 'Write this?'],
    ]) {
      const { status, screen } = await talkTo(command, args, [[question, key]])
      assert.deepEqual([status, /Nothing was written/.test(screen)], [1, true], screen)
      assert.deepEqual(filesUnder(command.project), [])
    }
  }
})

onTerminal('nothing is asked on a terminal with --yes, --dry-run and --json', async (t) => {
  const command = bareMachine(t)
  mkdirSync(join(command.project, '.cursor'))
  const preview = await talkTo(command, ['init', '--scope', 'project', '--dry-run'], [])
  assert.match(preview.screen, /^file +what +why\n/)
  assert.doesNotMatch(preview.screen, /^\+\+\+ |Which agents/m)
  const wanting = await talkTo(command, ['--json', 'init', '--scope', 'project', '--dry-run'], [])
  assert.deepEqual(JSON.parse(wanting.screen.split('\nwarning: ')[0]).agents, ['cursor'])
  const written = await talkTo(command, ['init', '--scope', 'project', '--yes'], [])
  assert.match(written.screen, /\nNext\n/)
})

onTerminal(
  'for me is the default: Enter writes into the settings of the user, and nothing into the project',
  async (t) => {
    const folder = freshFolder(t)
    const command = freshCommand(t, { HOME: folder, XDG_CONFIG_HOME: '', PATH: '/usr/bin:/bin' })
    const { status, screen } = await talkTo(
      command,
      ['init', '--agent', 'claude', '--agent', 'codex'],
      [
        ['For whom should it be set up?', KEY.enter],
        ['Write this?', KEY.enter],
      ],
    )
    assert.equal(status, 0, screen)
    assert.deepEqual(filesUnder(command.project), [])
    assert.match(readFileSync(join(folder, '.claude.json'), 'utf8'), /forge-memory/)
    assert.match(readFileSync(join(folder, '.codex', 'config.toml'), 'utf8'), /forge-memory/)
    const removed = json(command, ['init', '--remove', '--yes'])
    assert.deepEqual([removed.scope, removed.written], ['user', true])
    assert.ok(!existsSync(join(folder, '.codex', 'config.toml')))
  },
)

test('without a terminal and without a scope it is set up for the user, and each agent once', (t) => {
  const folder = freshFolder(t)
  const command = freshCommand(t, { HOME: folder, XDG_CONFIG_HOME: '' })
  const asked = ['init', '--agent', 'codex', '--agent', 'claude', '--agent', 'codex']
  const { scope, agents, changes } = json(command, [...asked, '--dry-run'])
  assert.deepEqual([scope, agents], ['user', ['codex', 'claude']])
  assert.ok(changes.length > 4 && changes.every(({ path }) => path.startsWith(join(folder, '.c'))))
  assert.deepEqual(json(command, ['init', '--agent', 'cursor', '--agent', 'all', '--dry-run']).agents.length > 10, true)
  const { status, stderr } = command.run(['init', '--agent', 'claude', '--agent', 'nobody', '--dry-run'])
  assert.equal(status, 2)
  assert.match(stderr, /nobody/)
})
