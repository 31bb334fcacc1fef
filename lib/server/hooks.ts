// Answers the hooks of agents that work in the project (see lib/hooks/server-socket.ts).
import { chmodSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { answerServed } from '../hooks/served-call.js'
import { isPrivateFolder, PROTOCOL, type ServedRequest, socketFolder } from '../hooks/server-socket.js'
import { isAlive } from '../hub/ports.js'
import { isOffByEnvironment } from '../moment/environment.js'
import { forgeHome } from '../shared/home.js'
import { writePrivateFile } from '../shared/private-file.js'
import { refuseLinks } from '../shared/regular-file.js'
import type { Part } from './part.js'

const REQUEST_CHARS_MAX = 8 * 1024 * 1024
/** The timeout of a connection; hooks wait a tenth of a second. */
const IDLE_MS = 2000
/** The maximum length of a socket's path. */
const PATH_BYTES_MAX = 100

/** Listens for hooks. Without a socket (on Windows, or below a long path) hooks do the work themselves. */
export async function startHooks(projectDir: string, port: number): Promise<Part> {
  let answered = 0
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    receive(socket, (request) => {
      const answer = answerServed(request, realpathSync(projectDir))
      if (answer.answer !== undefined) answered += 1
      return answer
    })
  })
  const base = join(socketFolder(), `${process.pid}-${port}`)
  const isListening = await open(server, base, projectDir)
  const close = async () => {
    for (const end of ['.json', '.sock']) rmSync(`${base}${end}`, { force: true })
    server.close()
  }
  return { name: 'hooks', state: () => ({ listening: isListening, answered }), close }
}

type HookServer = ReturnType<typeof createServer>

async function open(server: HookServer, base: string, project: string): Promise<boolean> {
  const path = `${base}.sock`
  if (process.platform === 'win32' || isOffByEnvironment() || Buffer.byteLength(path) > PATH_BYTES_MAX) return false
  try {
    const folder = socketFolder()
    refuseLinks(forgeHome(), path)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (!isPrivateFolder(folder)) return false
    clearDead(folder)
    rmSync(path, { force: true })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(path, resolve)
    })
    chmodSync(path, 0o600)
    writePrivateFile(`${base}.json`, JSON.stringify({ protocol: PROTOCOL, project: realpathSync(project) }))
    return true
  } catch {
    // The folder is not writable; the server and the hook processes work without the socket.
    return false
  }
}

/** Removes sockets that killed servers left. */
function clearDead(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = Number.parseInt(name, 10)
    if (Number.isInteger(pid) && pid !== process.pid && !isAlive(pid)) rmSync(join(folder, name), { force: true })
  }
}

function receive(socket: Socket, answer: (request: ServedRequest) => object): void {
  let said = ''
  socket.setEncoding('utf8')
  socket.setTimeout(IDLE_MS, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  socket.on('data', (part: string) => {
    said += part
    if (said.length > REQUEST_CHARS_MAX) socket.destroy()
  })
  socket.on('end', () => socket.end(JSON.stringify(answerTo(said, answer))))
}

/** A call that cannot be answered is left to the hook process, which reports the problem. */
function answerTo(said: string, answer: (request: ServedRequest) => object): object {
  try {
    return answer(JSON.parse(said) as ServedRequest)
  } catch {
    return {}
  }
}
