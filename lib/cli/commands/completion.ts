import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Argument, type Command } from 'commander'
import type { Answer, CommandEntry, Respond } from '../command.js'
import { type Completion, complete } from '../completion/candidates.js'
import type { Program } from '../description.js'

export const entry: CommandEntry = {
  group: 'admin',
  summary: 'print the script that completes commands in a shell',
  examples: [
    'forge-memory admin completion bash > ~/.forge-memory.bash',
    'forge-memory admin completion zsh > _forge-memory',
  ],
}

/** The shells, and the endings of their scripts. */
const ENDINGS = { bash: 'bash', zsh: 'zsh', fish: 'fish', powershell: 'ps1' } as const
type Shell = keyof typeof ENDINGS

export function configure(command: Command, respond: Respond, program: Program): void {
  command
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(ENDINGS)))
    .argument('[words...]', 'used by the script: the words of the line, the last of which may be incomplete or empty')
    .action(
      respond(async (_, shell: Shell, words: string[]): Promise<Answer> => {
        if (words.length === 0) return scriptOf(shell)
        const completion = await candidatesFor(shell === 'powershell' ? withoutSign(words) : words, program)
        return { document: completion, text: () => linesOf(completion) }
      }),
    )
}

function scriptOf(shell: Shell): Answer {
  const text = readFileSync(join(__dirname, '..', '..', 'completions', `forge-memory.${ENDINGS[shell]}`), 'utf8')
  return { document: { shell, script: text }, text: () => text }
}

function withoutSign(words: string[]): string[] {
  return words.map((word, at) => (at === words.length - 1 ? word.replace(/^=/, '') : word))
}

/** Whatever goes wrong, a shell that asks in the middle of a line gets no error. */
async function candidatesFor(words: string[], program: Program): Promise<Completion> {
  try {
    return complete(words, await program.describe(words))
  } catch {
    return { kind: 'words', candidates: [] }
  }
}

/** The protocol of the scripts: a line with the kind, then a candidate a line, with its description after a tab. */
function linesOf({ kind, candidates }: Completion): string {
  return [kind, ...candidates.map(({ value, about }) => (about === '' ? value : `${value}\t${about}`))].join('\n')
}
