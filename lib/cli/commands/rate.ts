import { Argument, type Command } from 'commander'
import { sharedRecords } from '../../api/shared-memory.js'
import { type RateOutcome, rateMemory } from '../../native.js'
import { commandSpeaker } from '../../shared/speaker.js'
import { counted, oneLine } from '../../text/printable.js'
import { observed, placed } from '../../undo/changes.js'
import { changed } from '../changed.js'
import type { Answer, CommandEntry, Respond } from '../command.js'
import { given } from '../options.js'
import { short } from '../page/named.js'

export const entry: CommandEntry = {
  group: 'agent',
  summary: 'report that a memory was useful, is wrong, or is out of place',
  examples: [
    'forge-memory agent rate useful 7f3a9c21',
    'forge-memory agent rate wrong 7f3a9c21 -j',
    'forge-memory agent rate elsewhere 7f3a9c21 --at src/pool.ts',
  ],
}

const VERDICTS = ['useful', 'wrong', 'elsewhere', 'here'] as const
type Verdict = (typeof VERDICTS)[number]

/** Counts a verdict on a record. In an agent's shell, the verdict counts as the agent's. */
export function configure(command: Command, respond: Respond): void {
  const verdicts = new Argument(
    '<verdict>',
    'what it was; elsewhere: it is right, and does not belong to --at',
  ).choices(VERDICTS)
  command
    .addArgument(verdicts)
    .argument('<id>', 'the id, or six or more characters of its beginning or end')
    .option('--at <place>', 'the file or command to which it does not belong; here takes that back')
    .action(
      respond(async (project, verdict: Verdict, id: string, { at }: { at?: string }): Promise<Answer> => {
        const speaker = { session: `shell:${process.ppid}`, ...commandSpeaker() }
        const shared = await sharedRecords([id], project)
        const { outcome, changes } = shared.during(() =>
          observed([id], project, () => rateMemory(id, verdict, { ...project, ...speaker, ...given({ at }) })),
        )
        if (at !== undefined && (verdict === 'elsewhere' || verdict === 'here')) {
          return {
            document: outcome,
            text: placedText(outcome, verdict, at),
            afterwards: () => changed(project, 'rate', [...changes, ...placed(outcome, verdict, at)]),
          }
        }
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

function placedText({ id, counted }: RateOutcome, verdict: 'elsewhere' | 'here', at: string): string {
  const where = `hooks ${verdict === 'here' ? '' : 'no longer '}give ${short(id)} at ${oneLine(at)}`
  return counted ? `Noted: ${where}.` : `Nothing changed: that was said before, or only a person may say it.`
}
