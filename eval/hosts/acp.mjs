// An editor that drives an agent over ACP, through `forge-memory acp`, with the official client.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk'
import { PROGRAM } from './program.mjs'

/** One session with these prompts, in which every tool is allowed. Returns what the agent wrote for people. */
export async function converse(agent, prompts, { cwd, env, signal }) {
  const child = spawn(process.execPath, [PROGRAM, 'acp', '--', ...agent], {
    cwd,
    env,
    signal,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const said = []
  child.stderr.on('data', (chunk) => said.push(chunk))
  const ended = once(child, 'close')
  const editor = client({ name: 'eval' })
    .onRequest(methods.client.session.requestPermission, ({ params: { options } }) => {
      const { optionId } = options.find(({ kind }) => kind.startsWith('allow')) ?? options[0]
      return { outcome: { outcome: 'selected', optionId } }
    })
    .onNotification(methods.client.session.update, ({ params }) => {
      said.push(Buffer.from(`${JSON.stringify(params.update)}\n`))
    })
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout))
  try {
    await editor.connectWith(stream, async (connection) => {
      await connection.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} })
      const { sessionId } = await connection.request(methods.agent.session.new, { cwd, mcpServers: [] })
      for (const text of prompts) {
        await connection.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] })
      }
    })
  } finally {
    child.stdin.end()
    await ended
  }
  return Buffer.concat(said).toString('utf8')
}
