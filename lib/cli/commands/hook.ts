import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { Argument, type Command, Option } from 'commander'
import { learnFromSession, runHook } from '../../native.js'
import type { Answer, Respond } from '../answer.js'
import { addNote } from '../note.js'

const NOTE = 'Agents run this command and pass JSON on standard input. It fails open: the exit code is always 0.'

interface Flags {
  host?: string
  learn?: string
}

export function configure(command: Command, respond: Respond): void {
  addNote(command, NOTE)
    .addArgument(new Argument('<event>', 'the name the agent gives the event: SessionStart, Stop, postToolUse, ...'))
    .option('--host <name>', 'the calling agent, when its payload does not name it: codex, gemini, qwen, ...')
    .addOption(new Option('--learn <host>', 'learn from the transcript of an ended session').hideHelp())
    .action(respond((_project, event: string, flags: Flags) => answer(event, flags)))
}

function answer(event: string, { host, learn }: Flags): Answer {
  if (learn !== undefined) return learnFrom(event)
  const { answer: text, problem } = runHook(event, readFileSync(0, 'utf8'), host === undefined ? {} : { host })
  return {
    document: text === '' ? {} : JSON.parse(text),
    text: () => text,
    warnings: problem === undefined ? [] : [problem],
  }
}

/** The lowest priority that every system has. */
const LOW = 10

/** Learns from a session after its end, in a process that no host waits for. The findings go into the review inbox. */
function learnFrom(transcript: string): Answer {
  setPriority(LOW)
  learnFromSession(transcript)
  return { document: {}, text: () => '' }
}
