import { type Command, Option } from 'commander'
import { memorySave, settleIndex } from '../../native.js'
import { commandSpeaker } from '../../shared/speaker.js'
import { printable } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { readBody } from '../body.js'
import { collect, given, number } from '../options.js'
import { noteCommand } from '../undo/log.js'

/** The same for people and agents, as for `memory_save`. */
const CONFIDENCE = 0.7

interface Flags {
  category: string
  confidence?: number
  scope?: string
  tag?: string[]
}

export function configure(command: Command, respond: Respond): void {
  command
    .argument('<pattern...>', 'the text; - reads it from standard input')
    .requiredOption(
      '--category <category>',
      'convention, failure_pattern, success_pattern, test_command, architecture, dependency or tool_usage',
    )
    .option('--confidence <number>', 'confidence, 0 to 1 (default: 0.7)', number)
    .addOption(
      new Option('--scope <scope>', 'for this project, or for all (default: project)').choices(['project', 'global']),
    )
    .option('--tag <tag>', 'a tag; may be repeated', collect)
    .action(
      respond(async (project, words: string[], flags: Flags): Promise<Answer> => {
        const { category, confidence = CONFIDENCE, scope, tag } = flags
        const pattern = await readBody(words)
        const outcome = memorySave(
          { pattern, category, confidence, ...given({ scope, tags: tag }) },
          { ...project, ...commandSpeaker() },
        )
        return {
          document: outcome,
          text: () => printable(outcome.message),
          afterwards: () => {
            if (outcome.status === 'saved')
              noteCommand(project, 'save', [{ kind: 'stored', id: outcome.id, retired: [] }])
            settleIndex(project)
          },
        }
      }),
    )
}
