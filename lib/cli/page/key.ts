import { write } from './output.js'
import { LEAVING_KEYS } from './terminal.js'
import { withTerminal } from './work.js'

/**
 * Waits for key presses on the terminal, without Enter. Returns them in lower case, usually one; `q` when the input
 * ends or is interrupted.
 */
export async function keys(): Promise<string> {
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
        const typed = [...data.toString('utf8').toLowerCase()]
        finish(typed.map((key) => (LEAVING_KEYS.includes(key) ? 'q' : key)).join(''))
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

/** Asks a question that one key answers, and shows the answer. */
export async function chosenKey<Choice extends string>(
  question: string,
  meanings: Record<string, Choice>,
): Promise<Choice> {
  return withTerminal(async () => {
    write(1, `${question} `)
    for (;;) {
      const known = [...(await keys())].find((key) => key in meanings)
      const choice = known === undefined ? undefined : meanings[known]
      if (choice === undefined) continue
      write(1, `${choice}\n`)
      return choice
    }
  })
}
