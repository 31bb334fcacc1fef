// Clients of a hub, as cheap as they can be: what is measured is the hub.
import { createHash, randomBytes } from 'node:crypto'
import { connect } from 'node:net'

/** Counts the unmasked frames in a stream of bytes and hands each text to `take`, when there is one. */
class FrameCounter {
  frames = 0
  #rest = Buffer.alloc(0)

  push(chunk, take) {
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    for (;;) {
      const size = frameSize(bytes)
      if (size === undefined || bytes.length < size.end) break
      this.frames += 1
      take?.(bytes.subarray(size.start, size.end))
      bytes = bytes.subarray(size.end)
    }
    this.#rest = bytes
  }
}

function frameSize(bytes) {
  if (bytes.length < 2) return undefined
  const short = bytes[1] & 0x7f
  const start = short < 126 ? 2 : short === 126 ? 4 : 10
  if (bytes.length < start) return undefined
  const length = start === 2 ? short : start === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  return { start, end: start + length }
}

/** Connects and resolves when the replay is over. `take` gets every text after that. */
export function connectClient({ port, token, handles, take }) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const counter = new FrameCounter()
    const client = { socket, counter }
    let head = ''
    let isLive = false
    socket.on('error', reject)
    socket.write(
      [
        `GET /hub?token=${token}&history=0${handles ? `&handles=${handles}` : ''} HTTP/1.1`,
        `Host: 127.0.0.1:${port}`,
        'Upgrade: websocket',
        'Connection: Upgrade',
        'Sec-WebSocket-Version: 13',
        `Sec-WebSocket-Key: ${createHash('md5').update(randomBytes(16)).digest('base64')}`,
        '\r\n',
      ].join('\r\n'),
    )
    const onFrame = (text) => {
      if (isLive) {
        take?.(text)
      } else if (text.includes('"type":"live"')) {
        isLive = true
        counter.frames = 0
        resolve(client)
      }
    }
    socket.on('data', (chunk) => {
      if (head !== undefined) {
        head += chunk.toString('latin1')
        const end = head.indexOf('\r\n\r\n')
        if (end < 0) return
        chunk = Buffer.from(head.slice(end + 4), 'latin1')
        head = undefined
      }
      counter.push(chunk, isLive && !take ? undefined : onFrame)
    })
  })
}
