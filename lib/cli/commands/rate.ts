import { Argument, type Command } from 'commander'
import { sharedRecords } from '../../api/shared-memory.js'
import { rateMemory } from '../../native.js'
import { commandSpeaker } from '../../shared/speaker.js'
import { counted } from '../../text/amount.js'
import { observed } from '../../undo/changes.js'
import type { Answer, Respond } from '../answer.js'
import { changed } from '../changed.js'
import { short } from '../page/named.js'

/** Counts a verdict on a record. In an agent's shell, the verdict counts as the agent's. */
export function configure(command: Command, respond: Respond): void {
  const verdicts = new Argument('<verdict>', 'what it was').choices(['useful', 'wrong'])
  command
    .addArgument(verdicts)
    .argument('<id>', 'the id, or six or more characters of its beginning or end')
    .action(
      respond(async (project, verdict: 'useful' | 'wrong', id: string): Promise<Answer> => {
        const speaker = { session: `shell:${process.ppid}`, ...commandSpeaker() }
        const shared = await sharedRecords([id], project)
        const { outcome, changes } = shared.during(() =>
          observed([id], project, () => rateMemory(id, verdict, { ...project, ...speaker })),
        )
        const { useful, wrong } = outcome.verdicts
        return {
          document: outcome,
          text: () => {
            const verb = outcome.counted ? 'Counted' : 'Already counted'
            const found = `useful to ${counted(useful, 'session')}, wrong for ${wrong}`
            const review = outcome.inReview ? '; forge-memory review decides on it' : ''
            return `${verb}: ${short(outcome.id)} is ${found}${review}.`
          },
          afterwards: () => changed(project, 'rate', changes),
        }
      }),
    )
}
