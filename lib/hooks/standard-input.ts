// Reads the payload of a hook from standard input, synchronously: `process.stdin` loads streams and sockets, a tenth of a hook's time.
import { fstatSync, read } from 'node:fs'
import { parseObject } from './payload.js'

/** The time limit for the host to write its payload, in milliseconds. */
const TIMEOUT_MS = 1000
/** The maximum size of a payload; a larger one gets an empty answer. */
const BYTES_MAX = 8 * 1024 * 1024
const CHUNK_BYTES = 64 * 1024
/** The polling interval of a non-blocking descriptor, in milliseconds. */
const RETRY_MS = 2

/** Reads standard input to its end, or until it is a complete JSON object, because some hosts leave it open. Empty when incomplete. */
export async function readPayload(): Promise<string> {
  // A terminal, or `/dev/null`.
  if (fstatSync(0).isCharacterDevice()) return ''
  const ends = Date.now() + TIMEOUT_MS
  const chunks: Buffer[] = []
  for (let bytes = 0; ; ) {
    const chunk = await readChunk(ends)
    if (chunk === undefined) return textOf(chunks, bytes)
    bytes += chunk.length
    if (bytes > BYTES_MAX) chunks.length = 0
    else chunks.push(chunk)
    const isMaybeWhole = bytes <= BYTES_MAX && chunk.at(-1) === 0x7d
    const text = isMaybeWhole ? textOf(chunks, bytes) : ''
    if (parseObject(text) !== undefined) return text
  }
}

/** Returns whether the text is a complete JSON object. */
function textOf(chunks: Buffer[], bytes: number): string {
  return bytes > BYTES_MAX ? '' : Buffer.concat(chunks).toString('utf8')
}

/** Reads the next bytes; undefined at the end of the input or after the time limit. */
function readChunk(ends: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), Math.max(0, ends - Date.now()))
    const end = (chunk: Buffer | undefined) => {
      clearTimeout(timer)
      resolve(chunk)
    }
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    const attempt = () => {
      read(0, buffer, 0, CHUNK_BYTES, null, (error, count) => {
        if (error === null) end(count === 0 ? undefined : buffer.subarray(0, count))
        else if (error.code === 'EAGAIN' && Date.now() < ends) setTimeout(attempt, RETRY_MS)
        else end(undefined)
      })
    }
    attempt()
  })
}
