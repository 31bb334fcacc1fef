import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createMcpServer, loadTools } from '../../dist/mcp/index.js'
import { root } from './project.mjs'

/** The two generations of the protocol: with a handshake, and with an envelope around every request. */
export const generations = {
  'with a handshake': { mode: 'legacy' },
  'with envelopes': { mode: { pin: '2026-07-28' } },
}

function newClient(generation = 'with a handshake') {
  return new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: generations[generation] })
}

/** The tools of the documentation, each with what it changes. They are those of the server: `mcp.spec.mjs` compares them. */
export const CHANGES = Object.fromEntries(
  [
    ...readFileSync(join(root, 'docs/reference/agents.md'), 'utf8').matchAll(
      /^\| `([a-z]+_[a-z_]+)` \|.*\| ([^|]+) \|$/gm,
    ),
  ].map(([, name, changes]) => [name, changes]),
)
export const TOOLS = Object.keys(CHANGES)

/** Every tool, with structured answers: most tests look at what a tool answers, whichever profile it is in. */
export const EVERYTHING = ['--tools', 'full', '--structured']

/** Starts the real server on standard input and output and connects a real client to it. */
export async function connectStdio(t, command, { generation, args = EVERYTHING } = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [command.program, 'mcp', ...args],
    cwd: command.project,
    env: command.env(),
    stderr: 'pipe',
  })
  const client = newClient(generation)
  await client.connect(transport)
  t.after(() => client.close())
  return { client, transport }
}

/** Connects a client to a server within this process, without background work such as deliveries. */
export async function connectWithin(t, { project, home }) {
  process.env.FORGE_HOME = home
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await createMcpServer({ projectDir: project, tools: await loadTools('full'), structured: true })
    .build()
    .connect(theirs)
  const client = newClient()
  await client.connect(ours)
  t.after(() => client.close())
  return client
}

/** Starts the real server on a free port; what it prints at its start says where, and with which token. */
export async function startHttp(t, command, env = {}, more = []) {
  const child = spawn(process.execPath, [command.program, 'mcp', '--http', '0', ...more, ...EVERYTHING], {
    cwd: command.project,
    env: command.env(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })))
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const lines = []
  const started = {}
  for await (const line of createInterface({ input: child.stderr })) {
    lines.push(line)
    const [, url] = /^MCP server: (\S+)$/.exec(line) ?? []
    const [, token] = /^Authorization: Bearer (\S+)$/.exec(line) ?? []
    if (url) started.url = url
    if (token) started.token = token
    if (started.url && (started.token || env.FORGE_MEMORY_TOKEN)) break
  }
  return { ...started, token: started.token ?? env.FORGE_MEMORY_TOKEN, child, ended, lines }
}

export async function connectHttp(t, { url, token }, generation) {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  const client = newClient(generation)
  await client.connect(transport)
  t.after(() => client.close())
  return client
}

/** Calls a tool that must succeed. */
export async function call(client, name, args = {}) {
  const result = await client.callTool({ name, arguments: args })
  if (result.isError) throw new Error(`${name}: ${result.content[0]?.text}`)
  return { text: result.content[0].text, ...result.structuredContent }
}

/** Calls a tool that must fail, and returns what it says. */
export async function refused(client, name, args) {
  const result = await client.callTool({ name, arguments: args })
  if (!result.isError) throw new Error(`${name} did not fail: ${result.content[0]?.text}`)
  return result.content[0].text
}
