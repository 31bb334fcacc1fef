import type { Command } from 'commander'
import { sharedRecords } from '../../api/shared-memory.js'
import { type ReplaceOutcome, replaceMemory, settleIndex } from '../../native.js'
import { shortId } from '../../shared/identity.js'
import { commandSpeaker } from '../../shared/speaker.js'
import { oneLine } from '../../text/printable.js'
import { observed } from '../../undo/changes.js'
import { noteCommand } from '../../undo/log.js'
import type { Answer, Respond } from '../answer.js'
import { given } from '../options.js'

export function configure(command: Command, respond: Respond): void {
  command
    .argument('<old...>', 'the ids of memories that are out of date, or six or more characters of each')
    .option('--by <id>', 'the memory that takes their place')
    .option('--why <text>', 'why, in a few words')
    .action(
      respond(async (project, old: string[], flags: { by?: string; why?: string }): Promise<Answer> => {
        const shared = await sharedRecords([...old, ...(flags.by === undefined ? [] : [flags.by])], project)
        const { outcome, changes } = shared.during(() =>
          observed(old, project, () => replaceMemory({ old, ...given(flags) }, { ...project, ...commandSpeaker() })),
        )
        return {
          document: outcome,
          text: () => summary(outcome),
          afterwards: () => {
            noteCommand(project, 'replace', changes)
            settleIndex(project)
          },
        }
      }),
    )
}

function summary({ retired, conflicts, unchanged }: ReplaceOutcome): string {
  const short = (id: string) => shortId(oneLine(id))
  return [
    ...retired.map(
      ({ id, text }) => `Retired ${short(id)}: ${oneLine(text)} (forge-memory keep ${short(id)} brings it back)`,
    ),
    ...conflicts.map(
      ({ id, text }) => `In conflict with ${short(id)}: ${oneLine(text)} (only a person retires what a person said)`,
    ),
    ...unchanged.map((id) => `${short(id)} was retired before: nothing was changed.`),
  ].join('\n')
}
