// Who is a person is proven: a host times shell table, scripts, the leave that a person gives them, and what only a person may allow.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { AGENTS } from '../dist/init/host.js'
import { AGENT_SIGNS, WITHOUT_SIGNS } from '../dist/shared/agent-signs.js'
import { freshCommand, json } from './support/command.mjs'
import { onTerminal } from './support/terminal.mjs'

const SCRIPT = { FORGE_AS: '' }
const TEXT = 'Releases are signed by Alice'

/** Runs a command as a person does: on a terminal of its own, without a sign of an agent. */
function typed(command, args, env = {}) {
  const run = { ...command, env: (extra) => command.env({ ...SCRIPT, ...extra, ...env }) }
  return onTerminal(run, args, '')
}

/** A project in which a person has said something, on a terminal. */
function withDecision(t) {
  const command = freshCommand(t, SCRIPT)
  const { status, screen } = typed(command, ['add', '-t', 'decision', TEXT])
  assert.equal(status, 0, screen)
  const [entry] = json(command, ['list']).entries
  return { command, entry }
}

const current = (command) => json(command, ['list', '--limit', '100']).entries.map(({ text }) => text)

/** Values of the variables of which only some are a sign. */
const VALUES = {
  CURSOR_EXTENSION_HOST_ROLE: { cursor: 'agent-exec' },
  AI_AGENT: { copilot: 'github_copilot_vscode_agent' },
  EDITOR: { devin: '/opt/.devin/editor' },
  AGENT: { amp: 'amp', crush: 'crush' },
}

const SIGNS = [
  ...Object.entries(AGENT_SIGNS).flatMap(([agent, { variables }]) =>
    variables.map((sign) => [agent, sign.name ?? sign, VALUES[sign.name ?? sign]?.[agent] ?? '1']),
  ),
  ['crush', 'AI_AGENT', 'crush'],
  ['agent', 'AGENT', '1'],
]

test('every host of init has its signs, or is listed as one without', () => {
  const known = [...Object.keys(AGENT_SIGNS), ...WITHOUT_SIGNS]
  for (const agent of AGENTS) assert.ok(known.includes(agent), agent)
})

test('the shells of agents', async (t) => {
  const { command, entry } = withDecision(t)
  for (const [agent, variable, value] of SIGNS) {
    await t.test(`${variable}=${value} is the shell of ${agent}, also on a terminal of its own`, () => {
      const env = { [variable]: value }
      const { thought } = json(command, ['add', '-t', 'lesson', `Told with ${variable} by ${agent}`], { env })
      assert.deepEqual([thought.author, thought.source], ['agent', agent])
      const { status, screen } = typed(command, ['forget', entry.id, '--yes'], env)
      assert.notEqual(status, 0, screen)
    })
  }
  assert.ok(current(command).includes(TEXT))
})

test('an agent approves nothing, chooses no store and takes nothing back, also on a terminal of its own', (t) => {
  const { command } = withDecision(t)
  const env = { QWEN_CODE: '1' }
  const store = ['store', 'use', 'file', '--yes']
  for (const args of [['trust', '--yes'], ['drain', '--trust'], store, ['undo'], ['--as', 'person', 'status']]) {
    assert.match(command.run(args, { env }).stderr, /an agent cannot .*UNSUPPORTED/, args.join(' '))
    assert.match(typed(command, args, env).screen, /an agent cannot .*UNSUPPORTED/, args.join(' '))
  }
  assert.ok(current(command).includes(TEXT))
})

test('a script adds without being asked, and may only ask for what touches a record of a person', (t) => {
  const { command, entry } = withDecision(t)
  assert.equal(json(command, ['add', '-t', 'lesson', 'Told by a script']).thought.author, 'script')
  const own = json(command, ['add', '-t', 'lesson', 'Told by a script for a while']).id
  assert.equal(command.run(['forget', own]).status, 0, 'its own record')
  assert.match(command.run(['forget', entry.id]).stderr, /PROPOSED/)
  assert.match(command.run(['undo']).stdout + command.run(['undo']).stderr, /./)
  assert.ok(current(command).includes(TEXT))
})

test('where records of agents wait, those of a script wait as well, and with a leave they do not', (t) => {
  const { command, entry } = withDecision(t)
  writeFileSync(join(command.project, '.forge.json'), '{"review":"agents"}')
  assert.equal(json(command, ['add', '-t', 'lesson', 'Told by a script']).review, 'proposed')
  assert.match(command.run(['forget', entry.id]).stderr, /PROPOSED/)
  assert.equal(typed(command, ['--as', 'person', 'status']).status, 0)
  const { review } = json(command, ['--as', 'person', 'add', '-t', 'lesson', 'Told for a person'])
  assert.equal(review, undefined)
  assert.deepEqual(current(command).sort(), [TEXT, 'Told for a person'])
})

test('with a leave that a person gave on a terminal, a script speaks as the person', (t) => {
  const { command, entry } = withDecision(t)
  const refused = command.run(['--as', 'person', 'forget', entry.id])
  assert.match(refused.stderr, /a script cannot speak as a person without a person's leave.*UNSUPPORTED/)
  assert.match(refused.stderr, /hint: a person gives it once on a terminal: forge-memory --as person status/)
  assert.equal(typed(command, ['--as', 'person', 'status']).status, 0)
  assert.match(command.run(['forget', entry.id]).stderr, /PROPOSED/, 'a script that does not say so')
  assert.equal(command.run(['--as', 'person', 'forget', entry.id], { env: { CLAUDECODE: '1' } }).status, 1)
  assert.equal(command.run(['--as', 'person', 'forget', entry.id]).status, 0)
  assert.deepEqual(current(command), [])
})

test('what only a person may allow, a script may with a leave, or with the address in its environment', (t) => {
  const command = freshCommand(t, SCRIPT)
  for (const args of [
    ['trust', '--yes'],
    ['drain', '--trust'],
    ['store', 'use', 'file', '--yes'],
  ])
    assert.match(command.run(args).stderr, /without a person's leave/, args.join(' '))
  const env = { DATABASE_URL: 'postgres://me@127.0.0.1:1/memory' }
  assert.equal(command.run(['store', 'use', '--yes'], { env }).status, 0)
  assert.equal(command.run(['store', 'use', '--yes'], { env: { ...env, AGENT: 'amp' } }).status, 1)
  assert.equal(typed(command, ['--as', 'person', 'status']).status, 0)
  for (const args of [
    ['trust', '--yes'],
    ['store', 'use', 'file', '--yes'],
  ]) {
    assert.match(command.run(args).stderr, /unless it says that it speaks for the person/, args.join(' '))
    assert.equal(command.run(['--as', 'person', ...args]).status, 0, args.join(' '))
  }
})

test('a hundred shells without a person retire nothing that a person said', (t) => {
  const { command, entry } = withDecision(t)
  const ways = [
    ['forget', entry.id, '--yes'],
    ['replace', entry.id, '--reason', 'out of date'],
    ['edit', entry.id, '--body', 'Releases are signed by Mallory'],
    ['add', '-t', 'decision', '--supersedes', entry.id, 'Releases are signed by Mallory'],
    ['undo'],
  ]
  const shells = [{}, { AGENT: 'amp' }, { AI_AGENT: 'crush' }, { FORGE_AS: 'person' }, { OPENCODE: '1' }]
  let count = 0
  for (const env of [...shells, ...shells, ...shells, ...shells]) {
    for (const args of ways) {
      command.run(args, { env })
      count += 1
    }
  }
  assert.equal(count, 100)
  assert.ok(current(command).includes(TEXT))
})
