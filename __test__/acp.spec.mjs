// The proxy between an editor and its agent: it adds what hooks would say, and is a plain pipe otherwise.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { openEditor, piped, startProxy } from './support/acp.mjs'
import { freshCommand, json } from './support/command.mjs'
import { isWindows } from './support/memory.mjs'
import { root } from './support/project.mjs'

/** An agent that repeats what it hears. */
const ECHO = [process.execPath, '-e', 'process.stdin.pipe(process.stdout)']
const FILE = 'src/pool.ts must be closed last.'
const LEDGER = 'The ledger export skips rounding, as the auditors asked.'
const FROZEN = 'ERR_LEDGER_FROZEN: thaw it with the thaw script first.'

function filled(t, ...texts) {
  const command = freshCommand(t)
  for (const text of texts) json(command, ['capture', '--type', 'gotcha', text])
  return command
}

const entries = (command) => json(command, ['list']).entries
const stored = (command) => entries(command).map(({ text }) => text)
const noteIn = ({ prompt }) =>
  prompt
    .slice(1)
    .map(({ text }) => text)
    .join('\n')
const said = (text, more = {}) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, ...more })
const called = (id, kind, rawInput, more = {}) => [
  { sessionUpdate: 'tool_call', toolCallId: id, title: kind, kind, status: 'pending', rawInput: {} },
  { sessionUpdate: 'tool_call_update', toolCallId: id, status: 'in_progress', rawInput },
  { sessionUpdate: 'tool_call_update', toolCallId: id, status: 'completed', ...more },
]
const hooks = (command, switches) =>
  writeFileSync(join(command.project, '.forge.json'), JSON.stringify({ hooks: switches }))

test('the first prompt brings what hooks say at a start, each prompt what it is about, and nothing twice', async (t) => {
  const command = filled(t, FILE, LEDGER)
  const start = command.run(['hook', 'SessionStart'], {
    input: JSON.stringify({ session_id: 'other', cwd: command.project }),
  })
  const editor = await openEditor(t, command)
  const first = await editor.prompt('Make the header blue.')
  assert.deepEqual(first.prompt, [
    { type: 'text', text: 'Make the header blue.' },
    {
      type: 'text',
      text: JSON.parse(start.stdout).hookSpecificOutput.additionalContext,
      annotations: { audience: ['assistant'] },
    },
  ])
  json(command, ['capture', '--type', 'gotcha', 'The payment gateway refuses cards without a postcode.'])
  const second = noteIn(await editor.prompt('Why does the payment gateway refuse my card?'))
  assert.match(second, /^\[recorded notes\].*postcode.*\[end of recorded notes: 1\]\s*$/s)
  assert.deepEqual((await editor.prompt('Why does the payment gateway refuse my card?')).prompt.length, 1)
  assert.deepEqual(await editor.close(), [0, null])
})

test('notes about tool calls come with the next prompt', async (t) => {
  const command = filled(t, FILE, FROZEN, 'Before `node seed.mjs --all` the tables must be locked.')
  hooks(command, { 'session-start': false })
  const editor = await openEditor(t, command)
  const output = 'Error: ERR_LEDGER_FROZEN the ledger is frozen'
  const updates = [
    ...called('c1', 'edit', { file_path: join(command.project, 'src/pool.ts'), old_string: 'a', new_string: 'b' }),
    {
      sessionUpdate: 'tool_call',
      toolCallId: 'c3',
      title: '`node seed.mjs --all`',
      kind: 'execute',
      status: 'completed',
    },
    ...called('c2', 'execute', { command: 'node settle.mjs' }, { rawOutput: { output, metadata: { exit: 1 } } }),
  ]
  assert.equal((await editor.prompt('Go on.', { updates })).prompt.length, 1)
  const note = noteIn(await editor.prompt('Go on.'))
  assert.match(note, /closed last/)
  assert.match(note, /thaw script/)
  assert.match(note, /tables must be locked/)
  assert.deepEqual(
    editor.updates.filter(({ toolCallId }) => toolCallId === 'c2'),
    updates.slice(4),
  )
  await editor.close()
})

test('a command in a terminal of the editor brings its notes at once, if it is a tool call', async (t) => {
  const command = filled(t, FROZEN)
  hooks(command, { 'session-start': false })
  const terminal = { output: 'Error: ERR_LEDGER_FROZEN "frozen"\n', exitCode: 1 }
  const editor = await openEditor(t, command, { terminal })
  const run = { command: 'node', args: ['settle.mjs'] }
  const hidden = await editor.prompt('Go on.', { command: { ...run, isHidden: true } })
  assert.equal(hidden.output, terminal.output)
  const { output } = await editor.prompt('Go on.', { command: run })
  assert.ok(output.startsWith(`${terminal.output}\n\n[recorded notes]`), output)
  assert.match(output, /thaw script/)
  await editor.close()
})

test('marks are stored from what the agent says, in whatever pieces, and from nothing else', async (t) => {
  const command = filled(t)
  const updates = [
    said('Read it.\n\n[remem'),
    said('ber:gotcha] The settle script waits for the thaw.'),
    { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: '[remember] A thought is nothing said.' } },
    ...called('c1', 'read', { path: 'a' }, { rawOutput: { output: '[remember] An output is nothing said.' } }),
    said('[remember] The port is 5433.', { messageId: 'm1' }),
    said('[remember] The queue is named blue.', { messageId: 'm2' }),
  ]
  const editor = await openEditor(t, command)
  await editor.prompt('[remember] A person says no marks.', { updates })
  await editor.close()
  const expected = ['The queue is named blue.', 'The port is 5433.', 'The settle script waits for the thaw.']
  assert.deepEqual(stored(command).sort(), expected.sort())
})

test('what an agent repeats of an earlier session is not stored', async (t) => {
  const command = filled(t)
  const repeated = { sessionId: 'old', _meta: { updates: [said('[remember] It was forgotten.')] } }
  const editor = await openEditor(t, command, { opened: repeated })
  await editor.prompt('Go on.', { updates: [said('[remember] It is new.')] })
  assert.equal(editor.updates.length, 2)
  await editor.close()
  assert.deepEqual(stored(command), ['It is new.'])
})

test('a test command that failed and then passes is learned', async (t) => {
  const command = filled(t)
  const failed = '1 failing\nTests: 1 failed, 3 passed\nError: ECONNREFUSED'
  const content = [{ type: 'content', content: { type: 'text', text: failed } }]
  const rawOutput = { output: 'Tests: 4 passed, 4 total', exit_code: 0 }
  const updates = [
    ...called('c1', 'execute', { command: 'npm test' }, { status: 'failed', content }),
    ...called('c2', 'execute', { command: ['bash', '-lc', 'npm test'] }, { rawOutput }),
  ]
  const editor = await openEditor(t, command)
  await editor.prompt('Go on.', { updates })
  await editor.close()
  const [learned, ...others] = entries(command)
  assert.deepEqual([learned.type, others.length], ['test_command', 0])
  assert.match(learned.text, /npm test.*ECONNREFUSED/s)
})

test('no more notes wait for a prompt than it may have, and the others come later', async (t) => {
  const says = ['must be closed last.', 'is made from the schema.', 'runs before each migration.', 'has the only keys.']
  const files = says.map((_, at) => `src/part${at + 1}.ts`)
  const command = filled(t, ...files.map((file, at) => `${file} ${says[at]}`))
  hooks(command, { 'session-start': false })
  const editor = await openEditor(t, command)
  const edited = (path) => called(path, 'edit', { path, newText: 'x' })
  await editor.prompt('Go on.', { updates: files.flatMap(edited) })
  const first = noteIn(await editor.prompt('Go on.', { updates: edited(files[3]) }))
  assert.deepEqual(first.match(/part\d/g), ['part1', 'part2', 'part3'])
  assert.deepEqual(noteIn(await editor.prompt('Go on.')).match(/part\d/g), ['part4'])
  await editor.close()
})

test('the draft of version 2: notes with prompts, and marks when the agent is idle', async (t) => {
  const command = filled(t, LEDGER)
  const editor = await openEditor(t, command, { isDraft: true })
  const updates = [
    { sessionUpdate: 'state_update', state: 'running' },
    { sessionUpdate: 'agent_message', messageId: 'm2', content: [{ type: 'text', text: '[remember] Half a ' }] },
    said('word.', { messageId: 'm2' }),
    { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' },
  ]
  assert.match(noteIn(await editor.prompt('Go on.', { updates })), /auditors/)
  await editor.close()
  assert.deepEqual(stored(command).sort(), ['Half a word.', LEDGER].sort())
})

const line = (message) => `${JSON.stringify(message)}\n`
const promptLine = (text, id = 1) =>
  `{"id":${id},"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":${JSON.stringify(text)}}]}}\n`

test('what is changed stays as it was but for the note; all else is passed on byte by byte', async (t) => {
  const command = filled(t, LEDGER)
  const prompt = `{ "method" : "session/prompt", "id" : 12345678901234567890, "params" : {"prompt" : [ {"type":"text","text":"a \\"]\\" \\\\ ß"} ] , "sessionId":"s","z":1e400} }\r\n`
  const { said } = await piped(t, command, ECHO, prompt)
  const [before, after] = prompt.split(' ] , ')
  const text = said.toString('utf8')
  assert.ok(text.startsWith(`${before} ,{"type":"text","text":"[recorded notes]`), text)
  assert.ok(text.endsWith(`] , ${after}`), text)
  JSON.parse(text.replace('1e400', '1'))

  const hostile = Buffer.concat([
    Buffer.from(
      'not json\n{"half":\n[]\n[{"method":"session/prompt"}]\nnull\n\n\r\n{"method":"_vendor/new","params":7}\n',
    ),
    Buffer.from(
      '{"id":null,"method":"session/prompt","params":null}\n{"method":"session/prompt","params":{"sessionId":9,"prompt":{}}}\n',
    ),
    Buffer.from(
      line({
        method: 'session/update',
        params: { sessionId: 's', update: { sessionUpdate: 'tool_call', toolCallId: {} } },
      }),
    ),
    Buffer.from(line({ id: 1, method: 'session/prompt', params: { sessionId: 's', prompt: [] } })),
    Buffer.from([0xff, 0xfe, 0x00, 0x0a]),
    Buffer.from(
      `${JSON.stringify({ id: 2, method: 'session/prompt', params: { sessionId: 's', prompt: [{ type: 'image', data: 'x'.repeat(20 << 20) }] } })}\n`,
    ),
    Buffer.from('{"jsonrpc":"2.0","id":3,"meth'),
  ])
  const passed = await piped(t, command, ECHO, hostile)
  assert.ok(passed.said.equals(hostile))
  assert.deepEqual([passed.status, passed.signal], [0, null])
})

test('commands of the agent get no text behind their arguments', async (t) => {
  const command = filled(t, LEDGER)
  const [slash, next] = [promptLine('/compact'), promptLine('Make the header blue.', 2)]
  const { said } = await piped(t, command, ECHO, slash + next)
  const text = said.toString('utf8')
  assert.ok(text.startsWith(slash))
  assert.match(text.slice(slash.length), /auditors/)
})

test('memory that is switched off: a plain pipe, and nothing is stored', async (t) => {
  const command = filled(t, LEDGER)
  const mark = line({ method: 'session/update', params: { sessionId: 's', update: said('[remember] It is off.') } })
  const input = promptLine('Why does the ledger export skip rounding?') + mark
  // The agent repeats all that it hears, so each message goes both ways.
  const through = async (env) => (await piped(t, command, ECHO, input, { env })).said.toString('utf8')
  assert.equal(await through({ FORGE_MEMORY: 'off' }), input)
  hooks(command, false)
  assert.equal(await through({}), input)
  hooks(command, {})
  const off = promptLine('[memory:off]\nWhy does the ledger export skip rounding?')
  assert.equal((await piped(t, command, ECHO, off + mark)).said.toString('utf8'), off + mark)
  assert.deepEqual(stored(command), [LEDGER])
  assert.notEqual(await through({}), input)
  assert.equal(stored(command).length, 2)
})

test('a broken memory, no engine and a hook without an end leave a plain pipe', async (t) => {
  if (isWindows) return
  const input = promptLine('Why does the ledger export skip rounding?')
  const isPlain = async (command, options) => {
    const { said, status } = await piped(t, command, ECHO, input, options)
    assert.deepEqual([said.toString('utf8'), status], [input, 0])
  }
  const damaged = filled(t)
  mkdirSync(join(damaged.project, '.forge', 'openbrain-queue.jsonl'), { recursive: true })
  writeFileSync(join(damaged.project, '.forge.json'), '{ "hooks": ')
  await isPlain(damaged)

  const alone = filled(t, LEDGER)
  const copy = join(alone.folder, 'package')
  cpSync(join(root, 'dist'), join(copy, 'dist'), { recursive: true })
  cpSync(join(root, 'package.json'), join(copy, 'package.json'))
  const withoutEngine = { program: join(copy, 'dist/cli/main.js'), env: { FORGE_AS: '' } }
  await isPlain(alone, withoutEngine)

  // It ends when the proxy does.
  const hanging = '#!/bin/sh\nwhile kill -0 "$PPID" 2>/dev/null; do sleep 0.1; done\n'
  mkdirSync(join(alone.home, 'bin'), { recursive: true })
  writeFileSync(join(alone.home, 'bin/forge-memory-hook'), hanging, { mode: 0o755 })
  const { child } = startProxy(t, alone, ECHO, withoutEngine)
  child.stdin.write(input)
  const [passed] = await once(child.stdout, 'data')
  assert.equal(passed.toString('utf8'), input)
})

test('the exit code and the signals are those of the agent', async (t) => {
  if (isWindows) return
  const command = filled(t)
  const endOf = async (script) => {
    const { status, signal } = await piped(t, command, ['sh', '-c', script], '')
    return status ?? signal
  }
  assert.deepEqual([await endOf('exit 7'), await endOf('kill -KILL $$')], [7, 'SIGKILL'])
  assert.equal((await piped(t, command, ['no-such-agent'], '')).status, 1)
  const { child, ended } = startProxy(t, command, [
    'sh',
    '-c',
    'trap "echo got; exit 9" TERM; echo up; while :; do sleep 0.1; done',
  ])
  child.stdout.once('data', () => child.kill('SIGTERM'))
  assert.deepEqual(await ended, [9, null])
  const plain = startProxy(t, command, ['sh', '-c', 'echo up; exec sleep 600'])
  plain.child.stdout.once('data', () => plain.child.kill('SIGINT'))
  assert.deepEqual(await plain.ended, [null, 'SIGINT'])
})
