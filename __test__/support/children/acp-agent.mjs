// An agent over ACP, made with the official library of version 1 or of the draft of version 2. A prompt says in `_meta` what the agent reports of its
// work, and whether it runs a command in a terminal of the editor; the answer repeats what the agent was given.
import { Readable, Writable } from 'node:stream'

const isDraft = process.argv[2] === 'v2'
const { agent, methods, ndJsonStream } = await import(`@agentclientprotocol/sdk${isDraft ? '/experimental/v2' : ''}`)
const { initialize, session } = methods.agent
const VERSION = isDraft ? 2 : 1

/** Reports the updates of a request. */
async function report({ sessionId, _meta }, client) {
  for (const update of _meta?.updates ?? []) await client.notify(methods.client.session.update, { sessionId, update })
}

/** Runs the command of a prompt, as a tool call that shows the terminal. */
async function runCommand({ sessionId, _meta: { command } }, client) {
  const terminal = await client.createTerminal({ sessionId, ...command })
  const update = {
    sessionUpdate: 'tool_call',
    toolCallId: terminal.id,
    title: 'a command',
    kind: 'execute',
    content: command.isHidden ? [] : [{ type: 'terminal', terminalId: terminal.id }],
  }
  await client.notify(methods.client.session.update, { sessionId, update })
  await terminal.waitForExit()
  return (await terminal.currentOutput()).output
}

const app = agent({ name: 'scripted' })
  .onRequest(initialize, () => ({
    protocolVersion: VERSION,
    agentCapabilities: { loadSession: true },
    ...(isDraft ? { capabilities: {}, info: { name: 'scripted', version: '1' } } : {}),
  }))
  .onRequest(session.new, () => ({ sessionId: 'session-1' }))
  .onRequest(session.prompt, async ({ params, client }) => {
    await report(params, client)
    const output = params._meta?.command ? await runCommand(params, client) : undefined
    const heard = { prompt: params.prompt, output }
    return isDraft ? { messageId: 'm1', _meta: heard } : { stopReason: 'end_turn', _meta: heard }
  })
if (!isDraft) {
  app.onRequest(session.load, async ({ params, client }) => {
    await report(params, client)
    return {}
  })
}
app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
