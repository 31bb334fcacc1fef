// Hooks that are not done in time, or run twice: what the agent marked is stored all the same, and once.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'
import { isWindows } from './support/memory.mjs'
import { readLines } from './support/project.mjs'
import { until } from './support/waiting.mjs'

function hook(command, event, payload, env = { FORGE_MEMORY_HOOK_DEADLINE_MS: '20000' }) {
  const input = JSON.stringify({ cwd: command.project, ...payload })
  const { status, stdout, stderr } = command.run(['hook', event], { input, env })
  assert.equal(status, 0, stderr)
  return { answer: stdout === '' ? undefined : JSON.parse(stdout), stderr }
}

const stored = (command) => {
  const path = join(command.project, '.forge/memory-captures.jsonl')
  return existsSync(path) ? readLines(path).flatMap(({ content }) => content ?? []) : []
}
const left = (command, folder) => {
  const path = join(command.home, folder)
  return existsSync(path) ? readdirSync(path) : []
}
/** Resolves once as many calls have noted their marks. Until they are renamed, the files that they write there may be empty. */
const noted = (command, count = 1) =>
  until(
    () => left(command, 'owed').filter((name) => name.endsWith('.json')).length === count,
    'a note of pending marks',
  )
const SHORT = { FORGE_MEMORY_HOOK_DEADLINE_MS: '90' }

/** A transcript, and a function that continues it. */
function transcriptIn(command, name = 'transcript.jsonl') {
  const path = join(command.folder, name)
  const say = (text) =>
    appendFileSync(path, `${JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] } })}\n`)
  return { path, say }
}

/** Holds the lock of the journal like another process, until it is released. */
async function holdLock(t, command) {
  command.run(['capture', '--type', 'convention', 'There is a memory.'])
  const hold = '$| = 1; open(my $file, ">>", $ARGV[0]) or die; flock($file, LOCK_EX) or die; print "held\n"; <STDIN>'
  const path = join(command.project, '.forge/locks/memory-captures.lock')
  const holder = spawn('perl', ['-MFcntl=:flock', '-e', hold, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  return async () => {
    const ended = once(holder, 'exit')
    holder.stdin.end('\n')
    await ended
  }
}

test('the next session stores what the last hook of a session could not', async (t) => {
  const command = freshCommand(t)
  const { path, say } = transcriptIn(command)
  say('[remember:gotcha] Told before the end.')
  const letGo = await holdLock(t, command)
  const { stderr } = hook(command, 'SessionEnd', { session_id: 'a', transcript_path: path }, SHORT)
  assert.match(stderr, /^warning: did not finish within 90 ms; what the agent marked may not be stored yet/)
  assert.deepEqual(stored(command), ['There is a memory.'])
  await letGo()
  const other = transcriptIn(command, 'other.jsonl')
  other.say('Nothing to remember.')
  hook(command, 'Stop', { session_id: 'b', transcript_path: other.path })
  assert.deepEqual(stored(command), ['There is a memory.', 'Told before the end.'])
  hook(command, 'SessionEnd', { session_id: 'b', transcript_path: other.path })
  assert.deepEqual([left(command, 'sessions'), left(command, 'owed')], [[], []])
})

test('the input of an unfinished hook is stored at the start of the next session', async (t) => {
  const command = freshCommand(t)
  const letGo = await holdLock(t, command)
  const { stderr } = hook(command, 'afterAgentResponse', { conversation_id: 'a', text: '[remember] Said once.' }, SHORT)
  assert.match(stderr, /did not finish within 90 ms/)
  assert.equal(left(command, 'owed').length, 1)
  await letGo()
  const { answer } = hook(command, 'SessionStart', { session_id: 'b' })
  assert.match(answer.hookSpecificOutput.additionalContext, /There is a memory/)
  assert.deepEqual(stored(command), ['There is a memory.', 'Said once.'])
  assert.deepEqual(left(command, 'owed'), [])
})

test('a capture of a killed hook is still stored', async (t) => {
  const command = freshCommand(t)
  const { path, say } = transcriptIn(command)
  say('[remember] Read from a transcript.')
  const letGo = await holdLock(t, command)
  const input = {
    cwd: command.project,
    session_id: 'a',
    transcript_path: path,
    last_assistant_message: '[remember] Said.',
  }
  const env = command.env({ FORGE_MEMORY_HOOK_DEADLINE_MS: '60000' })
  const killed = spawn(process.execPath, [command.program, 'hook', 'Stop'], {
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  killed.stdin.end(JSON.stringify(input))
  await noted(command)
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  await letGo()
  hook(command, 'Stop', { session_id: 'b' })
  assert.deepEqual(stored(command).sort(), ['Read from a transcript.', 'Said.', 'There is a memory.'])
})

test('a capture for another project waits for a session there', async (t) => {
  const command = freshCommand(t)
  const letGo = await holdLock(t, command)
  hook(command, 'afterAgentResponse', { conversation_id: 'a', text: '[remember] Of this project.' }, SHORT)
  await letGo()
  const elsewhere = join(command.folder, 'project-2')
  mkdirSync(join(elsewhere, '.forge'), { recursive: true })
  hook(command, 'Stop', { session_id: 'b', cwd: elsewhere })
  assert.equal(left(command, 'owed').length, 1)
  hook(command, 'Stop', { session_id: 'c' })
  assert.deepEqual(stored(command), ['There is a memory.', 'Of this project.'])
})

test('a hook that captures may take longer than one that blocks the agent', async (t) => {
  const command = freshCommand(t)
  const letGo = await holdLock(t, command)
  const marked = { conversation_id: 'a', text: '[remember] Stored in the end.' }
  assert.match(hook(command, 'afterAgentResponse', marked, {}).stderr, /did not finish within 4000 ms/)
  const env = command.env({ FORGE_MEMORY_HOOK_DEADLINE_MS: '60000' })
  const child = spawn(process.execPath, [command.program, 'hook', 'afterAgentResponse'], { env, stdio: 'pipe' })
  let stderr = ''
  child.stderr.on('data', (text) => (stderr += text))
  child.stdin.end(JSON.stringify({ cwd: command.project, conversation_id: 'b', text: '[remember] In time.' }))
  await noted(command, 2)
  assert.equal(child.exitCode, null)
  await letGo()
  await once(child, 'close')
  assert.equal(stderr, '')
  // It stores what the first one has left as well.
  assert.deepEqual(stored(command).sort(), ['In time.', 'Stored in the end.', 'There is a memory.'])
})

/** Writes so many records that to look at them without an index takes longer than a hook may. */
function withManyRecords(command) {
  command.run(['capture', '--type', 'convention', 'There is a memory.'])
  const journal = join(command.project, '.forge/memory-captures.jsonl')
  const [line] = readFileSync(journal, 'utf8').split('\n')
  const many = Array.from({ length: 60_000 }, (_, n) => line.replace(/mem_.{8}/, `mem_${String(n).padStart(8, '0')}`))
  writeFileSync(journal, `${many.join('\n')}\n`)
}

test('the warning says what was not done', (t) => {
  const command = freshCommand(t)
  const at = { FORGE_MEMORY_HOOK_DEADLINE_MS: '1' }
  const said = (event, payload) => hook(command, event, { session_id: 's', ...payload }, at).stderr
  assert.match(said('SessionStart', {}), /did not finish within 1 ms; the session starts without recalled notes/)
  withManyRecords(command)
  assert.match(
    said('UserPromptSubmit', { prompt: 'There is a memory' }),
    /did not finish within 1 ms; nothing was added to the prompt/,
  )
  assert.match(
    said('Stop', { last_assistant_message: '[remember] Something new.' }),
    /did not finish within 1 ms; what the agent marked may not be stored yet/,
  )
})

test('the deadline of the environment is that of the notes after a tool as well', (t) => {
  const command = freshCommand(t)
  withManyRecords(command)
  const failed = {
    session_id: 's',
    tool_name: 'Bash',
    tool_input: { command: 'npm test' },
    tool_response: { exitCode: 1, stdout: 'TypeError: There is a memory' },
  }
  assert.match(hook(command, 'PostToolUse', failed, {}).stderr, /did not finish within 150 ms/)
  assert.equal(hook(command, 'PostToolUse', failed, { FORGE_MEMORY_HOOK_DEADLINE_MS: '60000' }).stderr, '')
})

test('nothing of a long transcript is passed over between two calls', (t) => {
  const command = freshCommand(t)
  const { path, say } = transcriptIn(command)
  say('[remember] The first of them.')
  hook(command, 'SessionStart', { session_id: 'a', transcript_path: path })
  const filler = 'x'.repeat(1 << 20)
  for (let count = 0; count < 6; count++) say(filler)
  say('[remember] In the middle of it.')
  for (let count = 0; count < 6; count++) say(filler)
  say(`${filler.repeat(5)}\n[remember] Hidden in a line that is too long.`)
  say('[remember] The last of them.')
  hook(command, 'Stop', { session_id: 'a', transcript_path: path })
  assert.deepEqual(stored(command), ['The first of them.', 'In the middle of it.', 'The last of them.'])
})

test('a transcript that is a FIFO or a device does not block the hook', (t) => {
  if (isWindows) return
  const command = freshCommand(t)
  const path = join(command.folder, 'pipe')
  execFileSync('mkfifo', [path])
  for (const each of [path, '/dev/zero', command.folder]) {
    const { stderr } = hook(command, 'Stop', { session_id: each, transcript_path: each })
    assert.match(stderr, /^warning: .* is a (FIFO|device|folder); it was not opened/)
  }
})

/** What VS Code and Copilot hand to hooks; both read the files of Claude Code as well as their own. */
const twins = [
  ['SessionStart', 'sessionStart', {}],
  ['UserPromptSubmit', 'userPromptSubmitted', { prompt: 'Why do the auth mocks fail?' }],
]

for (const [first, second, extra] of twins) {
  test(`one event under the names ${first} and ${second} is answered once, in a form that both hosts read`, (t) => {
    for (const names of [
      [first, second],
      [second, first],
    ]) {
      const command = freshCommand(t)
      command.run(['capture', '--type', 'gotcha', 'Auth mocks must be made inside beforeEach.'])
      const payload = { timestamp: '2026-11-20T10:00:00Z', sessionId: 'a', hookEventName: first, ...extra }
      const [one, other] = names.map((name) => hook(command, name, payload).answer)
      assert.equal(one.hookSpecificOutput.hookEventName, first)
      assert.match(one.hookSpecificOutput.additionalContext, /beforeEach/)
      assert.equal(one.additionalContext, one.hookSpecificOutput.additionalContext)
      assert.equal(other, undefined)
      // The next one is another event, under whatever name.
      assert.ok(hook(command, names[0], { ...payload, sessionId: 'b' }).answer)
    }
  })
}

test('an event that two files have hooks for is learned from once', (t) => {
  const command = freshCommand(t)
  const { path, say } = transcriptIn(command)
  say('[remember] Marked once.')
  for (const name of ['Stop', 'agentStop']) hook(command, name, { sessionId: 'a', timestamp: 1, transcript_path: path })
  const run = (name, exitCode, stdout) => {
    const command_ = { command: 'npm test' }
    hook(command, name, { sessionId: 'a', timestamp: 1, tool_input: command_, tool_response: { exitCode, stdout } })
  }
  for (const name of ['PostToolUse', 'postToolUse']) run(name, 1, '1 failed')
  for (const name of ['PostToolUse', 'postToolUse']) run(name, 0, '1 passed')
  assert.equal(readLines(command.project, '.forge/memory-captures.jsonl').length, 1)
  assert.equal(json(command, ['list', '--type', 'test_command']).entries.length, 1)
})

test('an event that was not handled in time is handled by the event of the other name', async (t) => {
  const command = freshCommand(t)
  const letGo = await holdLock(t, command)
  const payload = { sessionId: 'a', timestamp: 1, finalMessage: '[remember] Marked once.' }
  assert.match(hook(command, 'Stop', payload, SHORT).stderr, /did not finish/)
  await letGo()
  assert.equal(hook(command, 'agentStop', payload).stderr, '')
  assert.deepEqual(stored(command), ['There is a memory.', 'Marked once.'])
})

test('the context of a session says how to add to the memory, and nothing when there is nothing', (t) => {
  const command = freshCommand(t)
  assert.equal(hook(command, 'SessionStart', { session_id: 'a' }).answer, undefined)
  command.run(['capture', '--type', 'convention', 'There is a memory.'])
  const told = () => hook(command, 'SessionStart', { session_id: 'a' }).answer.hookSpecificOutput.additionalContext
  for (const word of [/\[remember:gotcha\]/, /memory_recall/, /capture_thought/]) assert.match(told(), word)
  writeFileSync(join(command.folder, 'said.jsonl'), '')
  const { path, say } = transcriptIn(command, 'said.jsonl')
  say(told())
  hook(command, 'Stop', { session_id: 'a', transcript_path: path })
  assert.deepEqual(stored(command), ['There is a memory.'])
})
