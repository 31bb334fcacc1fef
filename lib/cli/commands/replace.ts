import type { Command } from 'commander'
import { sharedRecords } from '../../api/shared-memory.js'
import { type ReplaceOutcome, replaceMemory } from '../../native.js'
import { commandSpeaker } from '../../shared/speaker.js'
import { observed } from '../../undo/changes.js'
import { changed } from '../changed.js'
import type { Answer, CommandEntry, Respond } from '../command.js'
import { given } from '../options.js'
import { named, retiredLine, short } from '../page/named.js'

export const entry: CommandEntry = {
  group: 'admin',
  summary: 'retire memories that are out of date',
  examples: [
    'forge-memory admin replace 7f3a9c21 --by 5b0d4e88',
    'forge-memory admin replace 7f3a9c21 --why "the service is gone"',
  ],
}

export function configure(command: Command, respond: Respond): void {
  command
    .argument('<old...>', 'the ids of memories that are out of date, or six or more characters of each')
    .option('--by <id>', 'the memory that takes their place')
    .option('--why <text>', 'why, in a few words')
    .action(
      respond(async (project, old: string[], flags: { by?: string; why?: string }): Promise<Answer> => {
        // The one that takes their place may come back by it.
        const ids = [...old, ...(flags.by === undefined ? [] : [flags.by])]
        const shared = await sharedRecords(ids, project)
        const { outcome, changes } = shared.during(() =>
          observed(ids, project, () => replaceMemory({ old, ...given(flags) }, { ...project, ...commandSpeaker() })),
        )
        return {
          document: outcome,
          text: summary(outcome),
          afterwards: () => changed(project, 'replace', changes),
        }
      }),
    )
}

function summary({ by, retired, conflicts, unchanged, inConflict }: ReplaceOutcome): string {
  return [
    ...retired.map((one) => retiredLine(one)),
    ...conflicts.map((one) => `In conflict with ${named(one)} (only a person retires what a person said)`),
    ...inConflict.map(
      (id) =>
        `${short(id)} is in conflict with ${short(by ?? '')} already, until a person decides: nothing was changed.`,
    ),
    ...unchanged.map((id) => `${short(id)} was retired before: nothing was changed.`),
  ].join('\n')
}
