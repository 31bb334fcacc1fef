/** Waits for one key on the terminal, without Enter, and returns it in lower case; `q` when the input ends or is interrupted. */
export async function key(): Promise<string> {
  const input = process.stdin
  const isRaw = input.isTTY && typeof input.setRawMode === 'function'
  if (isRaw) input.setRawMode(true)
  try {
    return await new Promise((resolve) => {
      const finish = (text: string) => {
        input.off('data', onData)
        input.off('end', onEnd)
        input.pause()
        resolve(text)
      }
      const onData = (data: Buffer) => {
        const first = data.toString('utf8').toLowerCase()[0] ?? ''
        // Control-C, Control-D and Escape leave.
        finish(['\u0003', '\u0004', '\u001b'].includes(first) ? 'q' : first)
      }
      const onEnd = () => finish('q')
      input.on('data', onData)
      input.once('end', onEnd)
      input.resume()
    })
  } finally {
    if (isRaw) input.setRawMode(false)
  }
}
