import { Argument, type Command } from 'commander'
import { endProcess } from '../../native.js'
import type { Answer, Respond } from '../answer.js'
import { addNote } from '../note.js'

const NOTE = 'Agents run this command and pass JSON on standard input. It fails open: the exit code is always 0.'

export function configure(command: Command, respond: Respond): void {
  addNote(command, NOTE)
    .addArgument(new Argument('<event>', 'the name the agent gives the event: SessionStart, Stop, postToolUse, ...'))
    .option('--host <name>', 'the calling agent, when its payload does not name it: codex, gemini, qwen, ...')
    .action(respond((_project, event: string, flags: { host?: string }) => answer(event, flags)))
}

async function answer(event: string, { host }: { host?: string }): Promise<Answer> {
  const { readPayload } = await import('../../hooks/standard-input.js')
  const { runHook } = await import('../../hooks/index.js')
  const { answer: text, problem } = await runHook(event, await readPayload(), host === undefined ? {} : { host })
  return {
    document: text === '' ? {} : JSON.parse(text),
    text: () => text,
    warnings: problem === undefined ? [] : [problem],
    // Ends the process explicitly: after a missed deadline, a thread may still be waiting for a lock.
    afterwards: () => endProcess(0),
  }
}
