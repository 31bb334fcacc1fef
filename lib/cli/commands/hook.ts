import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { Argument, type Command, Option } from 'commander'
import { refreshReplica } from '../../api/shared-memory.js'
import { learnFromSession, runHook } from '../../native.js'
import { ANTIGRAVITY, answerAntigravity } from '../antigravity.js'
import { type Answer, addNote, type CommandEntry, type Respond } from '../command.js'

export const entry: CommandEntry = {
  group: 'agent',
  summary: 'answer a lifecycle hook of an agent',
  examples: [
    `echo '{"cwd": "."}' | forge-memory agent hook SessionStart`,
    `echo '{"cwd": "."}' | forge-memory agent hook sessionStart --host copilot`,
  ],
}

const NOTE = 'Agents run this command and pass JSON on standard input. It fails open: the exit code is always 0.'

interface Flags {
  host?: string
  learn?: string
  team?: boolean
}

export function configure(command: Command, respond: Respond): void {
  addNote(command, NOTE)
    .addArgument(new Argument('<event>', 'the name the agent gives the event: SessionStart, Stop, postToolUse, ...'))
    .option('--host <name>', 'the calling agent, when its payload does not name it: codex, gemini, qwen, ...')
    .addOption(new Option('--learn <host>', 'learn from the transcript of an ended session').hideHelp())
    .addOption(new Option('--team', 'read what a team stored about a project again').hideHelp())
    .action(respond((_project, event: string, flags: Flags) => answer(event, flags)))
}

function answer(event: string, { host, learn, team }: Flags): Answer | Promise<Answer> {
  if (learn !== undefined) return learnFrom(event)
  if (team) return askTeam(event)
  const input = readFileSync(0, 'utf8')
  const { answer: text, problem } =
    host === ANTIGRAVITY ? answerAntigravity(event, input) : runHook(event, input, host === undefined ? {} : { host })
  return {
    document: text === '' ? {} : JSON.parse(text),
    text: () => text,
    warnings: problem === undefined ? [] : [problem],
  }
}

/** The lowest priority that every system has. */
const LOW = 10

/** Asks the shared store what a team stored about a project, in a process that no host waits for. */
async function askTeam(projectDir: string): Promise<Answer> {
  setPriority(LOW)
  await refreshReplica({ projectDir })
  return { document: {}, text: () => '' }
}

/** Learns from a session after its end, in a process that no host waits for. The findings go into the review inbox. */
function learnFrom(transcript: string): Answer {
  setPriority(LOW)
  learnFromSession(transcript)
  return { document: {}, text: () => '' }
}
