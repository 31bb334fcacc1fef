import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test from 'node:test'
import { freshCommand } from './support/command.mjs'
import { call, connectWithin } from './support/mcp.mjs'

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } },
}

/** Says on stderr which files are loaded at the moment in which the first answer is written: what comes later is loaded beside it. */
const WITNESS = `const { write } = process.stdout
process.stdout.write = function (...args) {
  process.stdout.write = write
  console.error(JSON.stringify(Object.keys(require.cache)))
  return write.apply(this, args)
}`

/** Starts the server, and returns its first answer with the files that it had loaded by then. */
async function firstAnswer(t, command) {
  const witness = join(command.folder, 'witness.cjs')
  writeFileSync(witness, WITNESS)
  const args = ['--require', witness, command.program, 'mcp']
  const server = spawn(process.execPath, args, { cwd: command.project, env: command.env(), stdio: 'pipe' })
  t.after(() => server.kill('SIGKILL'))
  server.stdin.write(`${JSON.stringify(INITIALIZE)}\n`)
  const [answer, list] = await Promise.all([server.stdout, server.stderr].map(firstLine))
  return { answer: JSON.parse(answer), files: JSON.parse(list).map((file) => file.replaceAll('\\', '/')) }
}

async function firstLine(stream) {
  for await (const line of createInterface({ input: stream })) return line
  assert.fail('the server said nothing')
}

test('the server answers initialize after opening a few files: no package lookup, no HTTP modules', async (t) => {
  const command = freshCommand(t)
  command.run(['capture', '--type', 'lesson', 'Something that waits for the shared memory.'])
  const { answer, files } = await firstAnswer(t, command)
  assert.equal(answer.result.serverInfo.name, 'forge-memory')
  assert.ok(files.some((file) => file.endsWith('dist/mcp/index.js')))
  const unwanted = files.filter((file) => /node_modules|mcp\/http\.js|dist\/(anvil|hub|openbrain)\//.test(file))
  assert.deepEqual(unwanted, [])
  assert.ok(files.length <= 20, files.join('\n'))
})

test('a server is connected to a transport of the caller', async (t) => {
  const client = await connectWithin(t, freshCommand(t))
  assert.equal((await client.listTools()).tools.length, 28)
  assert.equal((await call(client, 'capture_thought', { content: 'The pool is closed last.' })).captured, true)
})
