import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { freshCommand } from './command.mjs'

/** Returns a function that asks the server as its dashboard does. */
export function callerOf({ origin, token }) {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(origin + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text }
  }
}

/** Starts the real command and returns it with the document that it prints. */
export async function startServe(t, args = [], command = freshCommand(t)) {
  const child = spawn(process.execPath, [command.program, 'serve', '--port', '0', '--json', ...args], {
    cwd: command.project,
    env: command.env(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  let text = ''
  for await (const line of createInterface({ input: child.stdout })) {
    text += line
    if (line === '}') break
  }
  const document = JSON.parse(text)
  return { command, child, document, token: new URL(document.url).hash.slice('#token='.length) }
}

/** Tells whether the process of a server that was started still answers. */
export async function isAnswering({ child, document, token }) {
  if (child.exitCode !== null || child.signalCode !== null) return false
  const response = await fetch(`${document.origin}/health`, { headers: { authorization: `Bearer ${token}` } })
  return (await response.json()).pid === child.pid
}

/**
 * Opens a connection, says something, and resolves with everything that came when the other side has closed it; `gaveUp` when it never
 * did.
 */
export function say({ document }, bytes, { meanwhile, patienceMs = 240_000 } = {}) {
  const socket = connect(document.port, '127.0.0.1')
  const chunks = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('error', () => undefined)
  socket.write(bytes)
  let gaveUp = false
  const patience = setTimeout(() => {
    gaveUp = true
    socket.destroy(new Error('nobody closed it'))
  }, patienceMs)
  meanwhile?.(socket)
  return once(socket, 'close').then(() => {
    clearTimeout(patience)
    return { text: Buffer.concat(chunks).toString('latin1'), socket, gaveUp }
  })
}
