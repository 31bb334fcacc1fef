import { Failure } from './failure.js'
import { write } from './page/output.js'
import { isTerminal } from './page/terminal.js'

/** What is asked about: whether something goes, or is written. */
type Act = 'deletes' | 'writes'

const DONE: Record<Act, string> = { deletes: 'deleted', writes: 'written' }

/** Shows a question and tells whether the answer is `yes`, the whole word. Without a terminal, no question can be asked. */
export async function confirmed(question: string, act: Act = 'deletes'): Promise<boolean> {
  if (!isTerminal(0)) {
    const hint = `add --yes to go ahead without being asked; nothing was ${DONE[act]}`
    throw new Failure(
      'INVALID_INPUT',
      `this command asks for confirmation before it ${act}, and standard input is not a terminal`,
      {
        hint,
      },
    )
  }
  return asked(question)
}

/** Asks on the terminal, and returns whether the answer is `yes`. */
export async function asked(question: string): Promise<boolean> {
  return (await answered(question)) === 'yes'
}

/** Asks on the terminal and returns the answer. */
export async function answered(question: string): Promise<string> {
  // The answer on standard output may go to a file; the question must not.
  write(isTerminal(1) ? 1 : 2, `${question.trimEnd()} `)
  return (await readLine()).trim()
}

async function readLine(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin) {
    text += (chunk as Buffer).toString('utf8')
    if (text.includes('\n')) break
  }
  return text.split('\n')[0] ?? ''
}
