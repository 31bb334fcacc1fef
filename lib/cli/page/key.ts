import { write } from './output.js'
import { openPage } from './page.js'
import { LEAVING_KEYS } from './terminal.js'
import { withTerminal } from './work.js'

/** Waits for key presses on the terminal, without Enter. Returns them, usually one; `q` when the input ends or is interrupted. */
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
        const typed = [...data.toString('utf8')]
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

/** Asks a question that one key answers, and shows the answer. A capital letter without a meaning of its own has that of the small one. */
export async function chosenKey<Choice extends string>(
  question: string,
  meanings: Record<string, Choice>,
): Promise<Choice> {
  return withTerminal(async () => {
    const page = await openPage(1)
    write(1, `${page.wrap(question, page.width - 1)} `)
    for (;;) {
      const meant = [...(await keys())].map((key) => meanings[key] ?? meanings[key.toLowerCase()])
      const choice = meant.find((each) => each !== undefined)
      if (choice === undefined) continue
      write(1, `${choice}\n`)
      return choice
    }
  })
}
