import { Argument, type Command } from 'commander'
import { endProcess } from '../../native.js'
import type { Answer, Respond } from '../answer.js'

export function configure(command: Command, respond: Respond): void {
  command
    .addArgument(new Argument('<event>', 'the name the agent gives the event: SessionStart, Stop, postToolUse, ...'))
    .addHelpText(
      'after',
      '\nAgents call this; it reads their JSON on standard input. It fails open: the exit code is 0 whatever happens.',
    )
    .action(respond((_project, event: string) => answer(event)))
}

/** How long the agent may take to hand its payload over, in milliseconds. */
const TIMEOUT_MS = 1000

async function answer(event: string): Promise<Answer> {
  const { runHook } = await import('../../hooks/index.js')
  const { answer: text, problem } = await runHook(event, await readInput())
  return {
    document: text === '' ? {} : JSON.parse(text),
    text: () => text,
    warnings: problem === undefined ? [] : [problem],
    // The deadline may have left a thread behind that waits for a lock: it is not waited for.
    afterwards: () => endProcess(0),
  }
}

async function readInput(): Promise<string> {
  if (process.stdin.isTTY) return ''
  const chunks: Buffer[] = []
  const timer = setTimeout(() => process.stdin.destroy(), TIMEOUT_MS)
  try {
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  } catch {
    // What has arrived is all there is.
  }
  clearTimeout(timer)
  return Buffer.concat(chunks).toString('utf8')
}
