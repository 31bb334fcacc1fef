/** Encodes a text as one unmasked WebSocket frame (RFC 6455, section 5.2), which can be sent to any number of clients. */
export function encodeFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const start = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(start + length)
  frame[0] = 0x81
  if (start === 2) {
    frame[1] = length
  } else if (start === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, start)
  return frame
}

/** Concatenates frames into buffers of at most `bytesMax` bytes. A frame is never split. */
export function joinFrames(frames: Buffer[], bytesMax: number): Buffer[] {
  const pieces: Buffer[] = []
  let piece: Buffer[] = []
  let bytes = 0
  for (const frame of frames) {
    if (bytes > 0 && bytes + frame.length > bytesMax) {
      pieces.push(Buffer.concat(piece, bytes))
      piece = []
      bytes = 0
    }
    piece.push(frame)
    bytes += frame.length
  }
  if (piece.length === 1 && piece[0]) pieces.push(piece[0])
  else if (bytes > 0) pieces.push(Buffer.concat(piece, bytes))
  return pieces
}
