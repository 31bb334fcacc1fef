// An editor over ACP, made with the official library, that starts its agent through `forge-memory acp`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { childProgram } from './processes.mjs'

export const AGENT = [process.execPath, childProgram('acp-agent')]

/** Starts the proxy with an agent; `said` is all that it has written when it ends. */
export function startProxy(t, command, agent, { env = {}, program = command.program } = {}) {
  const options = { cwd: command.project, env: command.env(env), stdio: ['pipe', 'pipe', 'ignore'] }
  const child = spawn(process.execPath, [program, 'acp', '--', ...agent], options)
  t.after(() => child.kill('SIGKILL'))
  return { child, ended: once(child, 'exit') }
}

/** Writes bytes to an agent through the proxy, and returns what comes back, and how the proxy ends. */
export async function piped(t, command, agent, bytes, options) {
  const { child, ended } = startProxy(t, command, agent, options)
  const said = buffer(child.stdout)
  child.stdin.on('error', () => undefined).end(bytes)
  const [status, signal] = await ended
  return { said: await said, status, signal }
}

/** Opens a session of an editor with the scripted agent in the project of a command. */
export async function openEditor(t, command, { isDraft = false, opened, terminal, ...options } = {}) {
  const acp = await import(`@agentclientprotocol/sdk${isDraft ? '/experimental/v2' : ''}`)
  const { child, ended } = startProxy(t, command, isDraft ? [...AGENT, 'v2'] : AGENT, options)
  const updates = []
  const app = acp.client({ name: 'editor' }).onNotification(acp.methods.client.session.update, ({ params }) => {
    updates.push(params.update)
  })
  if (terminal !== undefined) {
    const { create, output, waitForExit } = acp.methods.client.terminal
    const exitStatus = { exitCode: terminal.exitCode }
    app
      .onRequest(create, () => ({ terminalId: 'terminal-1' }))
      .onRequest(waitForExit, () => exitStatus)
      .onRequest(output, () => ({ output: terminal.output, truncated: false, exitStatus }))
  }
  const connection = app.connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)))
  const ask = (method, params) => connection.agent.request(method, params)
  const capabilities = isDraft
    ? { capabilities: {}, info: { name: 'editor', version: '1' } }
    : { clientCapabilities: {} }
  await ask('initialize', { protocolVersion: isDraft ? 2 : 1, ...capabilities })
  const inProject = { cwd: command.project, mcpServers: [] }
  const { sessionId } = opened ?? (await ask('session/new', inProject))
  if (opened !== undefined) await ask('session/load', { ...inProject, ...opened })
  return {
    updates,
    /** Sends a prompt, and returns what the agent got. */
    prompt: async (text, _meta = {}) => {
      const { _meta: heard } = await ask('session/prompt', { sessionId, prompt: [{ type: 'text', text }], _meta })
      return heard
    },
    /** Closes the editor; the proxy ends once all is stored. */
    close: () => {
      child.stdin.end()
      return ended
    },
  }
}
