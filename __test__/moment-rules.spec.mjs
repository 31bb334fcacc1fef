// What brings a note and what does not: commands by what they do, prompts by what they are about, and notes that are too long.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import test from 'node:test'
import { freshCommand, hookProgram, json, noteFor } from './support/command.mjs'

let sessions = 0

function told(command, event, fields) {
  sessions += 1
  return noteFor(command, { session_id: `s${sessions}`, hook_event_name: event, ...fields })
}

const before = (command, line) => told(command, 'PreToolUse', { tool_name: 'Bash', tool_input: { command: line } })
const asked = (command, prompt) => told(command, 'UserPromptSubmit', { prompt })

function filled(t, ...texts) {
  const command = freshCommand(t)
  for (const text of texts) json(command, ['capture', '--type', 'gotcha', text])
  return command
}

test('a note about another package, or another value of an option, is not about this command', (t) => {
  const command = filled(
    t,
    'cargo build -p camera-driver needs libv4l on the machine.',
    'pnpm --filter web build runs out of memory.',
    '`np` refuses to run with Node 22.0.',
  )
  assert.equal(before(command, 'cargo build -p worker'), '')
  assert.match(before(command, 'cargo build -p camera-driver'), /libv4l/)
  assert.match(before(command, 'cargo build -p camera-driver --release'), /libv4l/)
  assert.equal(before(command, 'pnpm --filter api build'), '')
  assert.match(before(command, 'pnpm --filter web build'), /memory/)
  assert.match(before(command, 'np minor'), /Node 22/)
})

test('wrappers of a command and pipes do not hide it', (t) => {
  const command = filled(t, 'alembic downgrade drops the events table.')
  for (const line of [
    'sudo -u postgres alembic downgrade -1',
    'env -u A B=c alembic downgrade -1',
    'timeout 30s alembic downgrade -1',
    'nice -n 5 alembic downgrade -1',
    'cd api && alembic downgrade -1 | tee log',
    'DEBUG=1 poetry run alembic downgrade -1',
    'npx --yes alembic downgrade -1',
  ])
    assert.match(before(command, line), /events table/, line)
  assert.equal(before(command, 'timeout 30s alembic upgrade head'), '')
})

const LESSONS = [
  'The tests of the billing service need a running Postgres; run them with make billing-tests.',
  'Continue the migration only after the read replica has caught up.',
  'Fix flaky checkout tests by freezing the clock in beforeEach.',
  'Rename columns in two releases: first add the new one, then drop the old one.',
  'The scratch disk of the CI machines is wiped at midnight.',
  'System reminders of the calendar are sent by the worker, not by the API.',
]

test('a prompt that is about nothing brings no note, and what programs add to it is not asked', (t) => {
  const command = filled(t, ...LESSONS)
  for (const prompt of [
    'continue',
    'fix it',
    'run the tests',
    'what is 2+2',
    'rename foo to bar in my scratch file',
    '<task-notification>flaky checkout tests: freeze the clock</task-notification>',
    '<system-reminder>billing service Postgres</system-reminder> go on',
    'yes please, commit and push it',
    'Write a poem on migrations',
  ])
    assert.equal(asked(command, prompt), '', prompt)
})

test('a prompt about something brings what is known about it, in at most three lines', (t) => {
  const command = filled(
    t,
    ...LESSONS,
    ...[1, 2, 3, 4].map((n) => `Checkout rule ${n}: the clock of the checkout is frozen at step ${n}.`),
  )
  assert.match(asked(command, 'Why are the checkout tests flaky, is it the clock?'), /freezing the clock/)
  assert.match(asked(command, 'How do I run the tests of the billing service against Postgres?'), /make billing-tests/)
  const notes = asked(command, 'Why is the clock of the checkout frozen?').match(/^ {2}\[gotcha\]/gm)
  assert.ok(notes.length <= 3, String(notes.length))
})

test('a note that is too long ends with its sentence, and names where the rest is', (t) => {
  const sentence = 'In src/pay.ts the total is rounded half to even, because the ledger does the same. '
  const command = filled(t, `First: ${sentence.repeat(11)}`, `Second: ${sentence.repeat(11)}`)
  const ids = json(command, ['list']).entries.map(({ id }) => id.slice(-8))
  const edit = { session_id: 'long', tool_name: 'Edit', tool_input: { file_path: 'src/pay.ts', new_string: 'b' } }
  // Both together are over the budget: fewer notes rather than halves.
  for (const note of [told(command, 'PreToolUse', edit), told(command, 'PreToolUse', edit)]) {
    assert.equal(note.match(/^ {2}\[gotcha\]/gm).length, 1)
    const [id] = ids.filter((id) => note.includes(id))
    assert.match(note, new RegExp(`does the same\\. \\(new, ${id}\\) \\(memory_show ${id} for the rest\\)`), note)
  }
})

test('a list of commands of Cline is one command, which its report says to have failed', (t) => {
  const command = filled(
    t,
    'ERR_POOL_OPEN: run pnpm pool:close first.',
    '`node serve.js` needs the port 8080 to be free.',
  )
  const cline = (event, fields) => {
    sessions += 1
    const payload = {
      clineVersion: '3.0.65',
      hookName: event,
      taskId: `s${sessions}`,
      workspaceRoots: [command.project],
      ...fields,
    }
    const env = command.env({ FORGE_MEMORY_HOOK_DEADLINE_MS: '20000' })
    const { stdout } = spawnSync(hookProgram, [event], { input: JSON.stringify(payload), env, encoding: 'utf8' })
    return stdout === '' ? '' : JSON.parse(stdout).contextModification
  }
  const call = { toolName: 'run_commands', parameters: { commands: ['node serve.js'] } }
  assert.match(cline('PreToolUse', { preToolUse: call }), /port 8080/)
  const inside = [
    { query: 'node serve.js', result: 'Error: ERR_POOL_OPEN\n[Command exited with code 1]', success: false },
  ]
  for (const result of [inside, JSON.stringify(inside), inside[0].result])
    assert.match(cline('PostToolUse', { postToolUse: { ...call, result, success: true } }), /pool:close/)
  const fine = [
    { query: 'node serve.js', result: 'ERR_POOL_OPEN is gone\n[Command exited with code 0]', success: true },
  ]
  assert.equal(cline('PostToolUse', { postToolUse: { ...call, result: fine, success: true } }), '')
})
