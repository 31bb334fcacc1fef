// A running server answers hooks in place of the hook process; whatever goes wrong with that, the hook answers by itself.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'
import { isWindows } from './support/memory.mjs'

const KNOWN = /must be closed last/

function filled(t) {
  const command = freshCommand(t)
  json(command, ['capture', '--type', 'gotcha', 'src/pool.ts must be closed last.'])
  return command
}

/** Starts `forge-memory serve` and waits until it listens; returns how to ask for its state and how to end it. */
async function served(t, command) {
  const args = [command.program, 'serve', '--port', '0']
  const child = spawn(process.execPath, args, { cwd: command.project, env: command.env() })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const stop = (signal = 'SIGTERM') => {
    child.kill(signal)
    return ended
  }
  t.after(() => stop('SIGKILL'))
  let said = ''
  await new Promise((resolve) => {
    child.stdout.on('data', (text) => {
      said += text
      if (/#token=\S+\n/.test(said)) resolve()
    })
  })
  const [, origin, token] = /(http:\/\/\S+)\/#token=(\S+)/.exec(said)
  const state = async () => {
    const response = await fetch(`${origin}/health`, { headers: { authorization: `Bearer ${token}` } })
    return (await response.json()).hooks
  }
  return { state, stop, pid: child.pid }
}

let calls = 0
function edit(command, { session = `s${++calls}`, cwd = command.project, path = 'src/pool.ts', id, env = {} } = {}) {
  const payload = {
    session_id: session,
    cwd,
    hook_event_name: 'PreToolUse',
    tool_name: 'Edit',
    tool_input: { file_path: path, old_string: 'a', new_string: 'b' },
    ...(id === undefined ? {} : { tool_use_id: id }),
  }
  const { status, stdout, stderr } = command.run(['hook', 'PreToolUse'], {
    input: JSON.stringify(payload),
    env: { FORGE_MEMORY_HOOK_DEADLINE_MS: '20000', ...env },
  })
  assert.deepEqual([status, stderr], [0, ''])
  return stdout === '' ? undefined : JSON.parse(stdout).hookSpecificOutput.additionalContext
}

/** A busy machine may let a server answer too late, and the hook answers by itself: asks until the server has answered one more. */
async function answeredByServer(server, ask) {
  const { answered } = await server.state()
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const told = ask()
    if ((await server.state()).answered > answered) return told
  }
  throw new Error('the server answered no hook')
}

test('with a server running, hooks are answered by it, as they answer themselves', async (t) => {
  const command = filled(t)
  const alone = edit(command)
  assert.match(alone, KNOWN)
  const server = await served(t, command)
  // Windows has no socket that only one user can open: hooks do the work themselves there.
  if (isWindows) return assert.equal((await server.state()).listening, false)
  assert.equal((await server.state()).listening, true)
  assert.equal(await answeredByServer(server, () => edit(command)), alone)
  // What the server injected in a session is not injected again, by whomever.
  await answeredByServer(server, () => edit(command, { session: 'one' }))
  assert.equal(edit(command, { session: 'one' }), undefined)
  const { injected, msP99 } = json(command, ['stats'])
  assert.ok(injected >= 3)
  assert.ok(msP99 < 60_000, 'the time is that of the hook, not of the server')
  json(command, ['pause'])
  assert.equal(edit(command), undefined)
  json(command, ['resume'])
  assert.equal(edit(command, { env: { FORGE_MEMORY: 'off' } }), undefined)
  const folder = join(command.home, 'hook-sockets')
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  assert.equal(readdirSync(folder).length, 2)
  await server.stop()
  assert.deepEqual(readdirSync(folder), [])
  assert.match(edit(command), KNOWN)
})

test('a server does not answer for another project', async (t) => {
  const command = filled(t)
  const server = await served(t, command)
  const inner = join(command.project, 'packages', 'ui')
  mkdirSync(inner, { recursive: true })
  writeFileSync(join(inner, '.forge.json'), '{}')
  for (const cwd of [inner, command.folder]) {
    const told = edit(command, { cwd, path: join(command.folder, 'src/pool.ts') })
    assert.equal(told, undefined)
  }
  assert.equal((await server.state()).answered, 0)
})

test('a server that is gone, hangs, or answers nonsense loses no note', async (t) => {
  if (isWindows) return
  const command = filled(t)
  const server = await served(t, command)
  await server.stop('SIGKILL')
  const folder = join(command.home, 'hook-sockets')
  assert.equal(readdirSync(folder).length, 2, 'a killed server leaves its socket')
  assert.match(edit(command), KNOWN)
  const [name] = readdirSync(folder).filter((each) => each.endsWith('.sock'))
  for (const answer of [undefined, '', 'nonsense', '{"answer":7}', '[]', '{}', 'x'.repeat(200_000)]) {
    rmSync(join(folder, name), { force: true })
    const fake = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => undefined).resume()
      if (answer !== undefined) socket.end(answer)
    })
    await new Promise((resolve) => fake.listen(join(folder, name), resolve))
    const told = await editBeside(command)
    fake.close()
    assert.match(told, KNOWN, String(answer).slice(0, 20))
  }
})

/** The fake server is in this process, which must not wait for the hook. */
function editBeside(command) {
  const payload = {
    session_id: `b${++calls}`,
    cwd: command.project,
    hook_event_name: 'PreToolUse',
    tool_name: 'Edit',
    tool_input: { file_path: 'src/pool.ts', old_string: 'a', new_string: 'b' },
  }
  const env = command.env({ FORGE_MEMORY_HOOK_DEADLINE_MS: '20000' })
  const child = spawn(process.execPath, [command.program, 'hook', 'PreToolUse'], { cwd: command.project, env })
  let said = ''
  child.stdout.on('data', (text) => (said += text))
  child.stdin.end(JSON.stringify(payload))
  return new Promise((resolve) => child.on('close', () => resolve(said)))
}

test('anything but an entry in the folder of sockets keeps no hook waiting', { timeout: 120_000 }, async (t) => {
  if (isWindows) return
  const command = filled(t)
  const folder = join(command.home, 'hook-sockets')
  mkdirSync(folder, { mode: 0o700 })
  spawnSync('mkfifo', [join(folder, '1-1.json')])
  symlinkSync('/dev/zero', join(folder, '2-2.json'))
  mkdirSync(join(folder, '3-3.json'))
  writeFileSync(join(folder, '4-4.json'), '')
  truncateSync(join(folder, '4-4.json'), 1024 ** 3)
  assert.match(edit(command), KNOWN)
})

test('a folder of sockets that others can enter is not used', async (t) => {
  if (isWindows) return
  const command = filled(t)
  const folder = join(command.home, 'hook-sockets')
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o755)
  const server = await served(t, command)
  assert.equal((await server.state()).listening, false)
  assert.match(edit(command), KNOWN)
  // Nor is one that an open folder offers.
  writeFileSync(join(folder, '1-1.json'), JSON.stringify({ protocol: 1, project: command.project }))
  let asked = false
  const fake = createServer((socket) => {
    asked = true
    socket.end('{"answer":"hello"}')
  })
  await new Promise((resolve) => fake.listen(join(folder, '1-1.sock'), resolve))
  t.after(() => fake.close())
  assert.match(await editBeside(command), KNOWN)
  assert.equal(asked, false)
})

test('a note that the server injected too late is told by the hook itself, and counted once', async (t) => {
  if (isWindows) return
  const command = filled(t)
  const server = await served(t, command)
  const folder = join(command.home, 'hook-sockets')
  const path = join(
    folder,
    readdirSync(folder).find((each) => each.endsWith('.sock')),
  )
  renameSync(path, `${path}.real`)
  // It hands every call to the server, and its answer to nobody.
  const relay = createServer({ allowHalfOpen: true }, (socket) => {
    const real = connect(`${path}.real`)
    socket.on('error', () => undefined).pipe(real)
    real.resume()
  })
  await new Promise((resolve) => relay.listen(path, resolve))
  t.after(() => relay.close())
  let asked = 0
  // On a busy machine the server may read a call when the hook has stopped waiting, and then notes nothing.
  for (; asked < 50 && (await server.state()).answered === 0; asked += 1) {
    assert.match(await editBeside(command), KNOWN)
  }
  assert.notEqual((await server.state()).answered, 0, 'the server was never quick enough to note anything')
  assert.equal(json(command, ['stats']).injected, asked)
})

test('a note is told again when the same tool call is repeated, and not for another one', (t) => {
  const command = filled(t)
  assert.match(edit(command, { session: 'late', id: 'toolu_1' }), KNOWN)
  assert.match(edit(command, { session: 'late', id: 'toolu_1' }), KNOWN)
  assert.equal(edit(command, { session: 'late', id: 'toolu_2' }), undefined)
})

test('a host that leaves standard input open is answered as soon as its payload is whole', async (t) => {
  const command = filled(t)
  const payload = JSON.stringify({
    session_id: 'open',
    cwd: command.project,
    tool_name: 'Edit',
    tool_input: { file_path: 'src/pool.ts', old_string: '}', new_string: 'b' },
  })
  const env = command.env({ FORGE_MEMORY_HOOK_DEADLINE_MS: '20000' })
  const child = spawn(process.execPath, [command.program, 'hook', 'PreToolUse'], { cwd: command.project, env })
  t.after(() => child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', (text) => (said += text))
  const closed = new Promise((resolve) => child.on('close', resolve))
  // In two parts, of which the first one ends like a whole one does.
  const cut = payload.indexOf('}') + 1
  child.stdin.write(payload.slice(0, cut), () => child.stdin.write(payload.slice(cut)))
  assert.equal(await closed, 0)
  assert.match(said, KNOWN)
})
