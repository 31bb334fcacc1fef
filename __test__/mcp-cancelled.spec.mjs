// Abandoned calls: cancelled ones, and those of disconnected clients.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import test from 'node:test'
import { freshCommand } from './support/command.mjs'
import { call, connectHttp, connectStdio, EVERYTHING, generations, startHttp } from './support/mcp.mjs'
import { readLines } from './support/project.mjs'

const WAITS = { name: 'forge_watch', arguments: { types: ['nothing-like-it'], waitMs: 30_000 } }

for (const generation of Object.keys(generations)) {
  test(`a cancelled call gets no answer, and the server continues, ${generation}`, async (t) => {
    const command = freshCommand(t)
    const { client } = await connectStdio(t, command, { generation })
    const http = await connectHttp(t, await startHttp(t, command), generation)
    for (const each of [client, http]) {
      const control = new AbortController()
      const waiting = each.callTool(WAITS, { signal: control.signal })
      await call(each, 'memory_recall', { query: 'beside the waiting call' })
      control.abort('not wanted any more')
      await assert.rejects(waiting, /not wanted any more|abort/i)
      assert.equal((await call(each, 'memory_recall', { query: 'after it' })).shown, 0)
    }
  })
}

test('a save that is cancelled at once leaves whole lines, and every one that was acknowledged', async (t) => {
  const command = freshCommand(t)
  const { client } = await connectStdio(t, command)
  const acknowledged = []
  const digits = 'zero one two three four five six seven eight nine'.split(' ')
  for (let n = 0; n < 40; n++) {
    const args = {
      pattern: `the rule ${[...String(n)].map((digit) => digits[digit]).join(' ')}`,
      category: 'convention',
    }
    const saving = client.callTool({ name: 'memory_save', arguments: args }, { signal: AbortSignal.timeout(n % 4) })
    await saving.then(
      ({ structuredContent }) => acknowledged.push(structuredContent.id),
      () => undefined,
    )
  }
  await call(client, 'memory_save', { pattern: 'the server lives', category: 'convention' })
  const stored = readLines(command.project, '.forge/memory/project.jsonl').map(({ id }) => id)
  assert.deepEqual(
    acknowledged.filter((id) => !stored.includes(id)),
    [],
  )
})

test('a client that disconnects during a waiting call ends its server at once', async (t) => {
  const command = freshCommand(t)
  const options = { cwd: command.project, env: command.env(), stdio: 'pipe' }
  const server = spawn(process.execPath, [command.program, 'mcp', ...EVERYTHING], options)
  t.after(() => server.kill('SIGKILL'))
  const ended = new Promise((resolve) => server.once('exit', (code, signal) => resolve({ code, signal })))
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'test', version: '1.0.0' }
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } })
  const answers = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  await answers.next()
  send({ method: 'notifications/initialized' })
  send({ id: 2, method: 'tools/call', params: WAITS })
  send({
    id: 3,
    method: 'tools/call',
    params: { name: 'capture_thought', arguments: { content: 'Said before the end.' } },
  })
  assert.equal(JSON.parse((await answers.next()).value).id, 3)
  // As when the client is killed: its ends of both pipes are closed.
  server.stdin.destroy()
  server.stdout.destroy()
  assert.deepEqual(await ended, { code: 0, signal: null })
  assert.equal(readLines(command.project, '.forge/memory-captures.jsonl').length, 1)
})
