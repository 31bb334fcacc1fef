import type { Command } from 'commander'
import { sharedRecords } from '../../api/shared-memory.js'
import { forget, type ProjectOptions, type RecallHit, showMemory } from '../../native.js'
import type { SharedRecords } from '../../openbrain/client/kept.js'
import { commandSpeaker } from '../../shared/speaker.js'
import { counted, oneLine } from '../../text/printable.js'
import { type Change, observed } from '../../undo/changes.js'
import { changed } from '../changed.js'
import { type Answer, type CommandEntry, calledOff, type Respond } from '../command.js'
import { type AskingFlags, agreed } from '../confirm.js'
import { Failure } from '../failure.js'
import { short } from '../page/named.js'
import type { Page } from '../page/page.js'
import { flexible, table } from '../page/table.js'
import { remainsOf, remainsText } from '../remains.js'

export const entry: CommandEntry = {
  group: 'daily',
  summary: 'remove memories from all searches',
  examples: ['forge-memory forget 7f3a9c21', 'forge-memory forget --dry-run 7f3a9c21 5b0d4e88'],
}

const HINT = 'forge-memory list shows the stored records with their ids; the last six characters of an id are enough'

export function configure(command: Command, respond: Respond): void {
  command
    .argument('<id...>', 'ids, or six or more characters of their beginning or end')
    .option('--dry-run', 'show the memories, and forget none')
    .option('--yes', 'do not ask; without it, a terminal asks before several are forgotten')
    .action(
      respond(async (project, ids: string[], flags: AskingFlags): Promise<Answer> => {
        const [id, ...others] = new Set(ids)
        if (id === undefined) throw new Failure('INVALID_INPUT', 'expected at least one id')
        const all = [id, ...others]
        const shared = await sharedRecords(all, project, 'forget')
        if (flags.dryRun) return shared.during(() => wouldForget(all, project))
        return others.length === 0
          ? shared.during(() => forgetOne(id, project))
          : await forgetMany(all, flags, project, shared)
      }),
    )
}

async function forgetOne(id: string, project: ProjectOptions): Promise<Answer> {
  const { outcome, changes } = observed([id], project, () => forget(id, { ...project, ...commandSpeaker() }))
  if (!outcome.removed) throw new Failure('NOT_FOUND', `no memory has the id ${JSON.stringify(id)}`, { hint: HINT })
  const remains = await remainsOf(idsOf(changes), project)
  return {
    document: { ...outcome, remains },
    text: [`Forgot ${oneLine(id)}: no search will return it any more.`, ...remainsText(remains)].join('\n'),
    afterwards: () => changed(project, 'forget', changes),
  }
}

/** Looks all of them up before it forgets the first, so that a mistyped id changes nothing. */
async function forgetMany(
  ids: string[],
  { yes }: AskingFlags,
  project: ProjectOptions,
  shared: SharedRecords,
): Promise<Answer> {
  const found = shared.during(() => entriesOf(ids, project))
  const question = (page: Page) =>
    `${listed(found, page)}\n\nForget these ${counted(found.length, 'memory', 'memories')}?`
  if (!yes && !(await agreed(question))) return calledOff('Nothing was forgotten.', [])
  const whole = found.map(({ id }) => id)
  const { outcome: outcomes, changes } = shared.during(() =>
    observed(whole, project, () => whole.map((id) => ({ id, ...forget(id, { ...project, ...commandSpeaker() }) }))),
  )
  const remains = await remainsOf(whole, project)
  const said = `Forgot ${counted(outcomes.length, 'memory', 'memories')}: no search will return them any more.`
  return {
    document: outcomes,
    text: [said, ...remainsText(remains)].join('\n'),
    afterwards: () => changed(project, 'forget', changes),
  }
}

/** The whole ids of what was forgotten, with the ids of earlier texts as far as the change names them. */
function idsOf(changes: Change[]): string[] {
  return changes.flatMap((change) => (change.kind === 'memory' ? [change.before?.id ?? change.after.id] : []))
}

function wouldForget(ids: string[], project: ProjectOptions): Answer {
  const found = entriesOf(ids, project)
  return {
    document: { dryRun: true, entries: found },
    text: (page) =>
      `${listed(found, page)}\n\n${counted(found.length, 'memory', 'memories')} would be forgotten. Nothing was written.`,
  }
}

function entriesOf(ids: string[], project: ProjectOptions): RecallHit[] {
  const found = ids.map((id) => showMemory(id, { ...project, includeProposed: true }).entry)
  return found.filter(({ id }, at) => found.findIndex((other) => other.id === id) === at)
}

function listed(found: RecallHit[], page: Page): string {
  const rows = found.map(({ id, type, text }) => [short(id), page.kind(type), oneLine(text)])
  return table(page, ['ID', 'TYPE', flexible('TEXT')], rows)
}
