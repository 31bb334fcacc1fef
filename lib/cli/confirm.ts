import { asksForJson } from './command.js'
import { Failure } from './failure.js'
import { write } from './page/output.js'
import { openPage, type Page } from './page/page.js'
import { isTerminal } from './page/terminal.js'
import { withTerminal } from './page/work.js'

/** The options of a command that asks before it removes something. */
export interface AskingFlags {
  dryRun?: boolean
  yes?: boolean
}

/** The act that the question is about: deleting or writing. */
type Act = 'deletes' | 'writes'

const DONE: Record<Act, string> = { deletes: 'deleted', writes: 'written' }

/** Asks for confirmation. Throws when there is no terminal to ask on. */
export async function confirmed(question: string, act: Act = 'deletes'): Promise<boolean> {
  requireTerminal(act)
  return askYesNo(question)
}

function requireTerminal(act: Act): void {
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
}

/** The question with its subject; undefined when there is nothing to ask. */
type Question = string | undefined

/**
 * Asks a person on a terminal, after showing the subject. In scripts and with `--json` it is true without a question:
 * these commands work in scripts that were written before they asked.
 */
export async function agreed(question: (page: Page) => Question | Promise<Question>): Promise<boolean> {
  if (!isTerminal(0) || !isTerminal(1) || asksForJson()) return true
  const text = await question(await openPage(1))
  return text === undefined || askYesNo(`${text} (y/n)`)
}

/** Asks on the terminal; true for the answers `y` and `yes`. */
export async function askYesNo(question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await answered(question))
}

export async function answered(question: string): Promise<string> {
  return withTerminal(async () => {
    // Standard output may be redirected to a file, so the question goes to standard error then.
    write(isTerminal(1) ? 1 : 2, `${question.trimEnd()} `)
    return (await readLine()).trim()
  })
}

async function readLine(): Promise<string> {
  let text = ''
  // The input stays open: another question may follow.
  for await (const chunk of process.stdin.iterator({ destroyOnReturn: false })) {
    text += (chunk as Buffer).toString('utf8')
    if (text.includes('\n')) break
  }
  process.stdin.pause()
  return text.split('\n')[0] ?? ''
}
