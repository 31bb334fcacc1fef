// The protocol's own tools against the built server: the inspector's command line, and the conformance suite.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createServer, request } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { freshCommand } from './support/command.mjs'
import { EVERYTHING, startHttp, TOOLS } from './support/mcp.mjs'

// The newest suite needs a newer Node than this package: a job of CI installs it elsewhere.
const modules =
  process.env.FORGE_TEST_MCP_TOOLS || join(dirname(createRequire(import.meta.url).resolve('zod/package.json')), '..')
const INSPECTOR = join(modules, '@modelcontextprotocol/inspector-cli/build/cli.js')
const CONFORMANCE = join(modules, '@modelcontextprotocol/conformance/dist/index.js')

function run(command, program, args) {
  return new Promise((resolve) => {
    const options = { cwd: command.project, env: command.env(), stdio: ['ignore', 'pipe', 'pipe'] }
    const child = spawn(process.execPath, [program, ...args], options)
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr']) child[name].on('data', (text) => (output[name] += text))
    child.on('close', (status) => resolve({ status, ...output }))
  })
}

/** Asks the server with the inspector, and returns the answer. */
async function inspect(command, target, method, ...args) {
  const { status, stdout, stderr } = await run(command, INSPECTOR, ['--cli', ...target, '--method', method, ...args])
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

/** The suite sends no token, so this proxy adds one. */
async function proxyWithToken(t, { url, token }) {
  const { hostname, port } = new URL(url)
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` }
    // The server wants to be asked under its own port, so a proxy says that one.
    const own = `:${proxy.address().port}`
    for (const name of ['host', 'origin']) if (headers[name]) headers[name] = headers[name].replace(own, `:${port}`)
    const onwards = request({ hostname, port, path: incoming.url, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers)
      answer.pipe(outgoing)
    })
    onwards.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onwards.destroy())
    incoming.pipe(onwards)
  })
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return `http://127.0.0.1:${proxy.address().port}/mcp`
}

for (const transport of ['stdio', 'http']) {
  test(`the inspector lists, calls and reads over ${transport}`, async (t) => {
    const command = freshCommand(t)
    let target = [process.execPath, command.program, 'mcp', ...EVERYTHING, '--project', command.project]
    if (transport === 'http') {
      const { url, token } = await startHttp(t, command)
      target = [url, '--transport', 'http', '--header', `Authorization: Bearer ${token}`]
      const refused = await run(command, INSPECTOR, ['--cli', ...target.slice(0, 3), '--method', 'tools/list'])
      assert.notEqual(refused.status, 0)
    }
    const { tools } = await inspect(command, target, 'tools/list')
    assert.equal(tools.length, TOOLS.length)
    const lesson = ['--tool-arg', 'content=Close the pool last.', 'type=lesson', 'confidence=0.9', 'tags=["db"]']
    const made = await inspect(command, target, 'tools/call', '--tool-name', 'capture_thought', ...lesson)
    assert.equal(made.structuredContent.captured, true)
    const wrong = await inspect(command, target, 'tools/call', '--tool-name', 'memory_recall')
    assert.deepEqual([wrong.isError, /query: .*\(INVALID_INPUT\)$/.test(wrong.content[0].text)], [true, true])
    const { resources } = await inspect(command, target, 'resources/list')
    assert.equal(resources.length, 5)
    const { contents } = await inspect(command, target, 'resources/read', '--uri', 'memory://project/lessons')
    assert.match(contents[0].text, /Close the pool last\./)
    const { prompts } = await inspect(command, target, 'prompts/list')
    assert.deepEqual(
      prompts.map(({ name }) => name),
      ['start-of-session', 'memory-backfill'],
    )
    const about = ['--prompt-name', 'start-of-session', '--prompt-args', 'task=pool']
    const { messages } = await inspect(command, target, 'prompts/get', ...about)
    assert.match(messages[0].content.text, /Close the pool last\./)
  })
}

test('the conformance suite passes for the declared capabilities of the server', async (t) => {
  const command = freshCommand(t)
  const url = await proxyWithToken(t, await startHttp(t, command))
  for (const scenario of [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
  ]) {
    const { status, stdout } = await run(command, CONFORMANCE, ['server', '--url', url, '--scenario', scenario])
    assert.equal(status, 0, stdout)
    assert.match(stdout, /Passed: (\d)\/\1, 0 failed, 0 warnings/)
  }
})
