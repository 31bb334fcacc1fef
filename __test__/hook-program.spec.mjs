// The native program of hooks: whatever it is given, it ends with 0, and prints an answer or nothing.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, hookProgram, json } from './support/command.mjs'
import { isWindows } from './support/memory.mjs'
import { filesUnder, root } from './support/project.mjs'
import { until } from './support/waiting.mjs'

const NOTE = 'src/pool.ts must be closed last.'

function filled(t) {
  const command = freshCommand(t)
  json(command, ['capture', '--type', 'gotcha', NOTE])
  return command
}

const edit = (command, more = {}) => ({
  session_id: 's',
  cwd: command.project,
  hook_event_name: 'PreToolUse',
  tool_name: 'Edit',
  tool_input: { file_path: 'src/pool.ts', old_string: 'a', new_string: 'b' },
  ...more,
})

function call(command, input, { args = [], env = {}, ...options } = {}) {
  const all = { cwd: command.project, env: command.env(env), encoding: 'utf8', input, ...options }
  const { status, signal, stdout, stderr } = spawnSync(hookProgram, args, all)
  return { status, signal, stdout, stderr }
}

const ended = ({ status, signal, stdout }) => [status, signal, stdout]
const NOTHING = [0, null, '']

test('it names its version, and answers without arguments: the payload names the event', (t) => {
  const command = filled(t)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.deepEqual(ended(call(command, '', { args: ['--version'] })), [0, null, `${version}\n`])
  const { status, stdout, stderr } = call(command, JSON.stringify(edit(command)))
  assert.deepEqual([status, stderr], [0, ''])
  assert.match(JSON.parse(stdout).hookSpecificOutput.additionalContext, /closed last/)
})

test('the launcher in Node answers the same', (t) => {
  const command = filled(t)
  const input = JSON.stringify(edit(command))
  const native = command.run(['hook', 'PreToolUse'], { input })
  const other = command.run(['hook', 'PreToolUse'], { input: input.replace('"s"', '"t"'), launcher: true })
  assert.match(native.stdout, /closed last/)
  assert.deepEqual(other, native)
})

test('a payload that is none: nothing is printed, and doctor knows', (t) => {
  const command = filled(t)
  const whole = JSON.stringify(edit(command))
  const utf16 = Buffer.from(`\ufeff${whole}`, 'utf16le')
  for (const [name, input] of Object.entries({
    empty: '',
    'cut off': whole.slice(0, -10),
    'UTF-16': utf16,
    'no object': '[]',
    'too large': `{"a":"${'x'.repeat(8 << 20)}"}`,
    binary: Buffer.from([0, 255, 254, 1, 2, 3]),
  })) {
    assert.deepEqual(ended(call(command, input, { args: ['PreToolUse'] })), NOTHING, name)
    const faults = json(command, ['doctor']).filter(({ code }) => code === 'HOOK_FAULTS')
    assert.match(faults[0]?.message ?? '', /not a JSON object/, name)
  }
  assert.deepEqual(ended(call(command, whole, { args: ['NoSuchEvent'] })), NOTHING)
  const [unknown] = json(command, ['doctor']).filter(({ code }) => code === 'HOOK_FAULTS')
  assert.match(unknown.hint, /^no event has the name NoSuchEvent: forge-memory init writes the right ones/)
  assert.deepEqual(ended(call(command, JSON.stringify(edit(command, { hook_event_name: 'NoSuchEvent' })))), NOTHING)
  assert.deepEqual(ended(call(command, whole, { args: ['--no', 'such', 'option'] })), NOTHING)
  // A byte order mark is none of these.
  assert.match(call(command, `\ufeff${whole}`, { args: ['PreToolUse'] }).stdout, /closed last/)
})

test('without standard input, and without a reader of the answer', async (t) => {
  const command = filled(t)
  const input = JSON.stringify(edit(command))
  const closed = spawnSync(hookProgram, ['PreToolUse'], {
    env: command.env(),
    cwd: command.project,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  })
  assert.deepEqual(ended(closed), NOTHING)
  if (isWindows) return
  const shell = (line) =>
    spawnSync('sh', ['-c', line, hookProgram], { input, env: command.env(), cwd: command.project })
  assert.equal(shell('"$0" PreToolUse <&-').status, 0)
  assert.equal(shell('"$0" PreToolUse >&-').status, 0)
  assert.equal(shell('"$0" PreToolUse >&- 2>&- <&-').status, 0)
  // The reader goes before anything is written.
  const child = spawn(hookProgram, ['PreToolUse'], { env: command.env(), cwd: command.project })
  child.stdout.destroy()
  child.stdin.end(input.replace('"s"', '"t"'))
  assert.deepEqual(await once(child, 'close'), [0, null])
})

test('standard input that stays open is read up to the end of the object', async (t) => {
  const command = filled(t)
  const child = spawn(hookProgram, [], { env: command.env(), cwd: command.project })
  let said = ''
  child.stdout.on('data', (text) => (said += text))
  child.stdin.write(JSON.stringify(edit(command)))
  assert.deepEqual(await once(child, 'close'), [0, null])
  assert.match(said, /closed last/)
  const waiting = spawn(hookProgram, ['PreToolUse'], { env: command.env(), cwd: command.project })
  waiting.stdin.write('{"session_id":')
  assert.deepEqual(await once(waiting, 'close'), [0, null])
})

test('a store that is damaged, newer, a folder, or of somebody else', (t) => {
  const command = filled(t)
  const journal = join(command.project, '.forge/memory-captures.jsonl')
  const good = readFileSync(journal)
  const ask = (session) => call(command, JSON.stringify(edit(command, { session_id: session })))
  for (const [name, bytes] of Object.entries({
    damaged: Buffer.concat([Buffer.from('{"_v":1,"id":\n\x00\xff garbage\n'), good]),
    newer: Buffer.from(
      `${good
        .toString('utf8')
        .trim()
        .replace(/"_v":\d+/, '"_v":99')}\n${good}`,
    ),
    torn: good.subarray(0, -20),
  })) {
    writeFileSync(journal, bytes)
    rmSync(join(command.project, '.forge/index'), { recursive: true, force: true })
    const { status, signal, stdout } = ask(name)
    assert.deepEqual([status, signal], [0, null], name)
    if (stdout !== '') JSON.parse(stdout)
  }
  writeFileSync(journal, good)
  if (!isWindows && process.getuid() === 0) {
    for (const path of [journal, join(command.project, '.forge'), command.project]) chownSync(path, 12345, 12345)
    const { status, signal, stdout } = ask('somebody')
    assert.deepEqual([status, signal], [0, null])
    if (stdout !== '') JSON.parse(stdout)
  }
  rmSync(journal)
  mkdirSync(journal)
  assert.equal(ask('folder').status, 0)
})

test('a clock that has jumped: what was written in the future or long ago neither silences the program nor has it repeat itself', (t) => {
  const command = filled(t)
  const ask = (session) => call(command, JSON.stringify(edit(command, { session_id: session }))).stdout
  const everything = () =>
    [command.home, command.project].flatMap((top) => filesUnder(top).map((path) => join(top, path)))
  for (const year of [2099, 1971]) {
    assert.match(ask(`before ${year}`), /closed last/)
    for (const path of everything()) utimesSync(path, new Date(year, 1, 1), new Date(year, 1, 1))
    assert.equal(ask(`before ${year}`), '', 'it was told')
    assert.match(ask(`after ${year}`), /closed last/)
  }
})

test('a home that cannot be written: the note is told all the same', (t) => {
  if (isWindows || process.getuid() === 0) {
    // Root writes everywhere: a file stands where the folder belongs.
    const command = filled(t)
    rmSync(command.home, { recursive: true, force: true })
    writeFileSync(command.home, 'a file')
    const { status, stdout } = call(command, JSON.stringify(edit(command)))
    assert.equal(status, 0)
    assert.match(stdout, /closed last/)
    return
  }
  const command = filled(t)
  chmodSync(command.home, 0o500)
  t.after(() => chmodSync(command.home, 0o700))
  const { status, stdout } = call(command, JSON.stringify(edit(command)))
  assert.equal(status, 0)
  assert.match(stdout, /closed last/)
})

test('a missed start of a session is made up for with the next prompt', (t) => {
  const command = filled(t)
  const start = { session_id: 'late', cwd: command.project, hook_event_name: 'SessionStart', source: 'startup' }
  const journal = join(command.project, '.forge/memory-captures.jsonl')
  const [line] = readFileSync(journal, 'utf8').split('\n')
  const many = Array.from({ length: 60_000 }, (_, n) => line.replace(/mem_.{8}/, `mem_${String(n).padStart(8, '0')}`))
  writeFileSync(journal, `${many.join('\n')}\n`)
  const late = call(command, JSON.stringify(start), { env: { FORGE_MEMORY_HOOK_DEADLINE_MS: '2' } })
  assert.deepEqual(ended(late), NOTHING)
  assert.match(late.stderr, /did not finish within 2 ms/)
  const prompt = { ...start, hook_event_name: 'UserPromptSubmit', prompt: 'Good morning, what comes next?' }
  const env = { FORGE_MEMORY_HOOK_DEADLINE_MS: '60000' }
  const next = call(command, JSON.stringify(prompt), { env })
  assert.match(JSON.parse(next.stdout).hookSpecificOutput.additionalContext, /closed last[\s\S]*memory_recall/)
  assert.equal(call(command, JSON.stringify(prompt), { env }).stdout, '')
})

test('a clone without an index is answered, and its index is written by a process that nobody waits for', async (t) => {
  const command = filled(t)
  const journal = join(command.project, '.forge/memory-captures.jsonl')
  const [line] = readFileSync(journal, 'utf8').split('\n')
  const other = (n) =>
    line.replace(/mem_.{8}/, `mem_${String(n).padStart(8, '0')}`).replace('src/pool.ts', `src/part${n}.ts`)
  writeFileSync(journal, `${line}\n${Array.from({ length: 20_000 }, (_, n) => other(n)).join('\n')}\n`)
  const index = join(command.project, '.forge/index')
  rmSync(index, { recursive: true, force: true })
  const env = { FORGE_MEMORY_HOOK_DEADLINE_MS: '20000' }
  const ask = (session) => call(command, JSON.stringify(edit(command, { session_id: session })), { env }).stdout
  assert.match(ask('a'), /closed last/)
  const segments = () =>
    existsSync(index) ? readdirSync(index, { recursive: true }).filter((name) => String(name).endsWith('.seg')) : []
  await until(() => segments().length > 0, 'an index')
  assert.match(ask('b'), /closed last/)
  // So does a call that its deadline has ended.
  rmSync(index, { recursive: true, force: true })
  rmSync(join(command.home, 'hook-later'), { recursive: true, force: true })
  const late = call(command, JSON.stringify(edit(command)), { env: { FORGE_MEMORY_HOOK_DEADLINE_MS: '2' } })
  assert.deepEqual(ended(late), NOTHING)
  await until(() => segments().length > 0, 'an index after a deadline')
})

test('without the time to read what is in no index, the newest notes are told at once', async (t) => {
  const command = filled(t)
  const journal = join(command.project, '.forge/memory-captures.jsonl')
  const [line] = readFileSync(journal, 'utf8').split('\n')
  const about = (n, file) =>
    line.replace(/mem_.{8}/, `mem_${String(n).padStart(8, '0')}`).replace('src/pool.ts', `src/${file}.ts`)
  const many = Array.from({ length: 60_000 }, (_, n) => about(n + 2, `part${n}`))
  writeFileSync(journal, `${[about(0, 'first'), ...many, about(1, 'last')].join('\n')}\n`)
  rmSync(join(command.project, '.forge/index'), { recursive: true, force: true })
  rmSync(join(command.home, 'hook-later'), { recursive: true, force: true })
  // Far less than there is to read, and far more than it takes to read the newest.
  const env = { FORGE_MEMORY_HOOK_DEADLINE_MS: '5000' }
  const told = (file) => {
    const tool_input = { file_path: join(command.project, `src/${file}.ts`) }
    return call(command, JSON.stringify(edit(command, { session_id: file, tool_input })), { env }).stdout
  }
  assert.match(told('last'), /closed last/)
  await until(() => told('first').includes('closed last'), 'the whole index')
})
