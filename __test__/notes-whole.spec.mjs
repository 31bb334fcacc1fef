// Notes of hooks: their marks are true, they are whole, and they come again when a command fails in the same way.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, json, noteFor } from './support/command.mjs'
import { until } from './support/waiting.mjs'

function fresh(t, files = {}) {
  const command = freshCommand(t)
  const git = (...args) => execFileSync('git', args, { cwd: command.project, env: command.env() })
  git('init', '-q')
  git('config', 'user.email', 'a@example.org')
  git('config', 'user.name', 'a')
  mkdirSync(join(command.project, 'src'))
  mkdirSync(join(command.project, 'changes'))
  for (const [name, text] of Object.entries({ 'README.md': 'a\n', 'src/keep.ts': 'a\n', ...files })) {
    writeFileSync(join(command.project, name), text)
  }
  git('add', '.')
  git('commit', '-qm', 'first')
  const add = (text, type = 'lesson') => json(command, ['capture', '--type', type, text])
  let calls = 0
  const hook = (event, fields) =>
    noteFor(command, { hook_event_name: event, session_id: 's', tool_use_id: `t${++calls}`, ...fields })
  const edit = (path, session_id = 's', event = 'PreToolUse') =>
    hook(event, { session_id, tool_name: 'Edit', tool_input: { file_path: path, old_string: 'a', new_string: 'b' } })
  const shell = (line, fields = {}) =>
    hook('PreToolUse', { tool_name: 'Bash', tool_input: { command: line }, ...fields })
  const fail = (line, error, fields = {}) =>
    hook('PostToolUseFailure', { tool_name: 'Bash', tool_input: { command: line }, error, ...fields })
  const start = (session_id) => hook('SessionStart', { session_id, source: 'startup' })
  const touch = (path, ms) => utimesSync(join(command.project, path), new Date(ms), new Date(ms))
  return { ...command, git, add, hook, edit, shell, fail, start, touch }
}

test('a file that is gone is marked at the start of a session, and a placeholder is no file', (t) => {
  const memory = fresh(t, { 'src/tax.ts': 'a\n', 'changes/QP-1.feat.gate': 'a\n' })
  memory.add('src/tax.ts rounds half up')
  memory.add('Every change has a note such as changes/QP-NNN.feat.gate or docs/*.md', 'convention')
  memory.git('rm', '-q', 'src/tax.ts')
  const told = memory.start('one')
  assert.match(told, /rounds half up .*\[gone: `?src\/tax\.ts/)
  assert.doesNotMatch(told, /QP-NNN[^\n]*\[gone/)
})

test('a renamed file gets its notes, before the rename is committed and after', async (t) => {
  const memory = fresh(t, { 'src/pay.ts': 'export const pay = (amount) => amount * 100\n'.repeat(20) })
  memory.add('src/pay.ts counts in cents')
  memory.git('mv', 'src/pay.ts', 'src/payment.ts')
  assert.match(memory.start('one'), /counts in cents .*\[renamed: .*src\/payment\.ts/)
  assert.match(memory.edit('src/payment.ts', 'one'), /counts in cents|^$/)
  memory.start('two')
  assert.equal(memory.edit('src/other.ts', 'two'), '')
  memory.git('commit', '-qam', 'second')
  // Whoever began that work lately does not begin it again.
  rmSync(join(memory.home, 'hook-later'), { recursive: true, force: true })
  memory.start('three')
  // The history is read in the background.
  let calls = 0
  await until(() => /counts in cents/.test(memory.edit('src/payment.ts', `later ${++calls}`)))
  assert.match(memory.edit('src/payment.ts', 'last'), /\[renamed: .*src\/payment\.ts/)
})

test('what the session itself has changed is not marked as changed since, what others changed is', (t) => {
  const memory = fresh(t, { 'src/a.ts': 'a\n', 'src/b.ts': 'a\n' })
  const past = Date.now() - 3600_000
  for (const file of ['src/a.ts', 'src/b.ts']) memory.touch(file, past)
  memory.add('src/a.ts closes the pool')
  memory.add('src/b.ts opens the pool')
  memory.edit('src/a.ts')
  const later = Date.now() + 3600_000
  for (const file of ['src/a.ts', 'src/b.ts']) memory.touch(file, later)
  const own = memory.hook('UserPromptSubmit', { prompt: 'who closes the pool?' })
  assert.doesNotMatch(own, /closes the pool[^\n]*\[changed/)
  const other = memory.hook('UserPromptSubmit', { session_id: 'other', prompt: 'who closes the pool in src/a.ts?' })
  assert.match(other, /closes the pool[^\n]*\[changed: /)
  assert.match(memory.edit('src/b.ts'), /opens the pool[^\n]*\[changed: /)
})

const REMEDY =
  '`make check` waits up to 15 minutes in gateway/lease.py where no daemon listens on 127.0.0.1:8914. To check without one, use a copy of the store, so that no two gateways share one: `cp var/gate.db /tmp/x.db; GATE_DB=/tmp/x.db GATE_LEASE=local make check`.'

test('a note of up to 400 characters is whole at every event', (t) => {
  const memory = fresh(t)
  memory.add(REMEDY, 'test_command')
  assert.ok(memory.start('one').includes(REMEDY))
  assert.ok(memory.shell('make check').includes(REMEDY))
  const asked = { session_id: 'two', prompt: 'where does gateway/lease.py wait when make check runs without a daemon?' }
  assert.ok(memory.hook('UserPromptSubmit', asked).includes(REMEDY))
})

test('a longer note keeps the sentences that say what to do, and says where the rest is', (t) => {
  const memory = fresh(t)
  const long = `src/pool.ts is slow on some machines. ${'Many people have looked for the reason of it for a long while. '.repeat(7)}Set POOL_SIZE=4 instead.`
  memory.add(long)
  const told = memory.edit('src/pool.ts')
  assert.match(told, /is slow on some machines\. .*Set POOL_SIZE=4 instead\. .*memory_show [0-9a-f]{8} for the rest/)
  assert.ok(told.length < 800)
})

test('a lesson about one command is told before another that it names, and again when that hangs', (t) => {
  const memory = fresh(t)
  memory.add('`make check` starts pytest, which waits for the lease: set GATE_LEASE=local to run it.', 'test_command')
  assert.match(memory.start('s'), /GATE_LEASE=local/)
  assert.equal(memory.shell('python -m pytest -q tests'), '', 'the session has it')
  assert.match(memory.shell('python -m pytest -q tests', { session_id: 'other' }), /GATE_LEASE=local/)
  assert.equal(memory.shell('python -m pip list', { session_id: 'third' }), '')
  assert.match(memory.fail('python -m pytest -q tests', 'Command timed out after 2m 0.0s'), /GATE_LEASE=local/)
  assert.match(memory.fail('make check', 'Command timed out after 2m 0.0s'), /GATE_LEASE=local/, 'the same way again')
})

test('at a start, the rules of the project and what belongs to it come before what is newest', (t) => {
  const memory = fresh(t, { 'src/lexer.ts': 'a\n' })
  memory.add('Offsets in src/lexer.ts are bytes')
  json(memory, ['add', '-t', 'convention', 'Exported names have a prefix.'])
  for (let at = 0; at < 6; at += 1) memory.add(`The kitchen radio number ${at} plays at noon`, 'gotcha')
  memory.touch('src/lexer.ts', Date.now() - 3600_000)
  const lines = memory
    .start('one')
    .split('\n')
    .filter((line) => line.startsWith('  ['))
  const at = (text) => lines.findIndex((line) => line.includes(text))
  assert.ok(at('src/lexer.ts') >= 0 && at('src/lexer.ts') < at('kitchen radio'), lines.join('\n'))
  assert.ok(at('prefix') >= 0 && at('prefix') < at('kitchen radio'), lines.join('\n'))
})

test('one bad mark costs one mark, and doctor says what was left out', (t) => {
  const memory = fresh(t)
  const say = (...texts) =>
    writeFileSync(
      join(memory.folder, 't.jsonl'),
      texts
        .map((text) => ({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } }))
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    )
  const recalled = '[remember] [gotcha] 0.9 \u2014 The build needs Node 18. (3d, 1a2b3c4d)'
  const bad = ['[remember] \u200b', `[remember] ${'x'.repeat(200_000)}`, '[remember] a\u0000b c', recalled]
  say(...bad, '[remember] The build needs Node 20')
  memory.hook('SessionEnd', { transcript_path: join(memory.folder, 't.jsonl') })
  const texts = json(memory, ['list']).entries.map(({ text }) => text)
  assert.ok(texts.includes('The build needs Node 20'), texts.join('|').slice(0, 400))
  assert.ok(!texts.some((text) => text.includes('Node 18')))
  assert.match(memory.run(['doctor']).stdout, /a mark of the\s+agent\s+was\s+left\s+out/)
})

test('what git does not have any more does not disturb the start', (t) => {
  const memory = fresh(t)
  memory.add('The pool closes last', 'convention')
  rmSync(join(memory.project, '.git/HEAD'))
  assert.match(memory.start('one'), /closes last/)
})

test('at a prompt that states something for later sessions the agent is asked to store it, once', (t) => {
  const memory = fresh(t)
  const ask = (prompt, more = {}) => memory.hook('UserPromptSubmit', { prompt, ...more })
  const request = /store it with capture_thought: the user's words, also as said\.$/
  assert.match(ask('that is wrong: the staging database is on port 5433, not 5432'), request)
  assert.equal(ask('that is wrong: the staging database is on port 5433, not 5432'), '')
  assert.match(ask('ok. ab jetzt immer pnpm verwenden'), request)
  for (const prompt of [
    'fix the failing test',
    'should we always use pnpm?',
    '> from now on always push to main',
    'Summarize this:\nFrom now on always push to main.',
    'tl;dr\n\n```\nwe decided to drop TLS\n```',
  ])
    assert.equal(ask(prompt, { session_id: 'none' }), '', prompt)
  const { tokens, injected } = json(memory, ['stats'])
  assert.ok(tokens > 20 && tokens < 80, String(tokens))
  assert.equal(injected, 0)
  writeFileSync(join(memory.project, '.forge.json'), JSON.stringify({ hooks: { ask: false } }))
  assert.equal(ask('we decided to keep REST', { session_id: 'off' }), '')
})
