// The client side of hooks answered by a running `serve`, which has the engine loaded and the index in memory; a hook process spends most
// of its time on these. The server listens on a Unix domain socket in a folder that only the user can enter. After any failure, the
// hook process does the work itself. This file does not import the engine.
import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { forgeHome } from '../shared/home.js'
import { folderOf, nativeEvent } from './hosts.js'
import { parseObject, text } from './payload.js'

/** The version of the protocol. */
export const PROTOCOL = 1
/** The timeout of a server, short enough for the hook process to do the work itself afterwards. */
const ANSWER_MS = 100
const ANSWER_CHARS_MAX = 64 * 1024
/** An entry is one line with a path, and there is one for each server that runs. */
const ENTRY_BYTES_MAX = 64 * 1024
const ENTRIES_MAX = 200

/** A hook call for a server. */
export interface ServedRequest {
  event: string
  host?: string
  /** What the host wrote to standard input. */
  payload: string
  /** When the process of the hook started, in milliseconds since 1970. */
  startedAt: number
  /** When the hook stops waiting for the answer, in milliseconds since 1970. */
  expiresAt: number
}

/** The response of a server; without `answer`, the hook process does the work itself. */
export interface ServedAnswer {
  answer?: string
}

/** Returns the folder of the sockets. Beside each is a file of the same name that contains the path of its project. */
export function socketFolder(): string {
  return join(forgeHome(), 'hook-sockets')
}

/** Returns whether a folder belongs to this user and no other user can enter it. */
export function isPrivateFolder(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o077) === 0
}

/** Asks a server of the project about a call that only adds context. Returns the output; undefined when no server answers in time. */
export async function askServer(event: string, payload: string, host?: string): Promise<string | undefined> {
  const meaning = nativeEvent(event)?.event
  if (meaning !== 'before-tool' && meaning !== 'prompt') return undefined
  try {
    const fields = parseObject(payload)
    const socket = fields === undefined ? undefined : socketFor(folderOf(fields) ?? '')
    if (socket === undefined) return undefined
    const expiresAt = Date.now() + ANSWER_MS
    const request: ServedRequest = { event, payload, startedAt: performance.timeOrigin, expiresAt }
    return await exchange(await import('node:net'), socket, host === undefined ? request : { ...request, host })
  } catch {
    return undefined
  }
}

/** Returns the socket of a server for the project in this very folder; from a folder below, the engine may find another project. */
function socketFor(cwd: string): string | undefined {
  const folder = socketFolder()
  if (cwd === '' || !isPrivateFolder(folder)) return undefined
  const project = realpathSync(cwd)
  const names = readdirSync(folder).filter((each) => each.endsWith('.json'))
  const name = names.slice(0, ENTRIES_MAX).find((each) => {
    const entry = entryIn(join(folder, each))
    return entry?.protocol === PROTOCOL && entry.project === project
  })
  return name === undefined ? undefined : join(folder, `${name.slice(0, -'.json'.length)}.sock`)
}

/** Reads the entry of a server. Anything else of that name could block the hook or keep it busy, so it is not opened. */
function entryIn(path: string): ReturnType<typeof parseObject> {
  const found = lstatSync(path, { throwIfNoEntry: false })
  const isEntry = found?.isFile() === true && found.size <= ENTRY_BYTES_MAX
  return isEntry ? parseObject(readFileSync(path, 'utf8')) : undefined
}

/** `node:net` is loaded only when there is a server, because that takes as long as reading the payload. */
function exchange(
  { connect }: typeof import('node:net'),
  path: string,
  request: ServedRequest,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    let said = ''
    const end = (answer?: string) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(end, ANSWER_MS)
    socket.setEncoding('utf8')
    socket.on('error', () => end())
    socket.on('connect', () => socket.end(JSON.stringify(request)))
    socket.on('data', (part: string) => {
      said += part
      if (said.length > ANSWER_CHARS_MAX) end()
    })
    socket.on('end', () =>
      end(text(parseObject(said), 'answer') ?? (parseObject(said)?.answer === '' ? '' : undefined)),
    )
  })
}
