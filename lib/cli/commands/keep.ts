import { type Command, Option } from 'commander'
import { sharedRecords } from '../../api/shared-memory.js'
import {
  captureMemory,
  type KeepOutcome,
  keepMemory,
  listRetired,
  type ProjectOptions,
  type RecallHit,
  type RetiredMemory,
  showMemory,
} from '../../native.js'
import { expiringSoon } from '../../shared/expiring.js'
import { codeOf } from '../../shared/problem.js'
import { commandSpeaker } from '../../shared/speaker.js'
import { counted, oneLine } from '../../text/printable.js'
import { type Change, observed } from '../../undo/changes.js'
import { changed } from '../changed.js'
import type { Answer, CommandEntry, Respond } from '../command.js'
import { Failure } from '../failure.js'
import { given } from '../options.js'
import { short } from '../page/named.js'
import { AUTHORS, authorOf } from '../retired.js'

export const entry: CommandEntry = {
  group: 'admin',
  summary: 'make retired or forgotten memories current again, or renew what expires',
  examples: [
    'forge-memory admin keep 7f3a9c21',
    'forge-memory admin keep --since 7d --by agent',
    'forge-memory admin keep --expiring',
  ],
}

interface Flags {
  since?: string
  by?: string
  expiring?: boolean
}

export function configure(command: Command, respond: Respond): void {
  command
    .argument('[id]', 'the id, or six or more characters of its beginning or end')
    .option('--since <when>', 'only what was retired since an ISO date, or 7d, 2w, instead of an id')
    .addOption(new Option('--by <author>', 'only what they have retired, instead of an id').choices([...AUTHORS]))
    .option('--expiring', 'renew what expires within 14 days by its lifetime, instead of an id')
    .action(
      respond(async (project, id: string | undefined, flags: Flags): Promise<Answer> => {
        if (flags.expiring) return renew(id, flags, project)
        const isMany = flags.since !== undefined || flags.by !== undefined
        if ((id === undefined) !== isMany) {
          throw new Failure('INVALID_INPUT', 'keep takes an id, or --since or --by, or --expiring', {
            hint: 'forge-memory list --retired shows what was retired',
          })
        }
        if (id === undefined) return keepMany(project, flags)
        return (await sharedRecords([id], project, 'keep')).during(() => keepOne(project, id))
      }),
    )
}

function keepOne(project: ProjectOptions, id: string): Answer {
  const { outcome, changes } = observed([id], project, () => keepMemory(id, { ...project, ...commandSpeaker() }))
  return {
    document: outcome,
    text: textOf(outcome, changes),
    afterwards: () => changed(project, 'keep', changes),
  }
}

function textOf({ kept, id }: KeepOutcome, changes: Change[]): string {
  if (!kept) return `${short(id)} is current already: nothing was changed.`
  if (changes.length > 0) return `Kept ${short(id)}: searches return it again.`
  return `Kept ${short(id)}: it holds as what you said yourself, and only a person retires it.`
}

/** Makes everything current again that was retired since a moment, by records of one author, or both. */
function keepMany(project: ProjectOptions, { since, by }: Flags): Answer {
  const found = listRetired({ ...project, ...given({ since }) }).filter(
    (one) => (by === undefined || authorOf(one) === by) && isReplaced(one, project),
  )
  const changes: Change[] = []
  const asked: string[] = []
  const kept = found.flatMap(({ id }) => {
    try {
      const { outcome, changes: made } = observed([id], project, () =>
        keepMemory(id, { ...project, ...commandSpeaker() }),
      )
      changes.push(...made)
      return outcome.kept ? [outcome.id] : []
    } catch (error) {
      if (codeOf(error) !== 'PROPOSED') throw error
      asked.push(id)
      return []
    }
  })
  const some = (count: number) => counted(count, 'memory', 'memories')
  return {
    document: { kept, ...(asked.length === 0 ? {} : { asked }) },
    text: [
      ...kept.map((id) => `Kept ${short(id)}`),
      ...(kept.length === 0 ? [] : [`${some(kept.length)} returned by searches again.`]),
      ...(asked.length === 0 ? [] : [`${some(asked.length)} retired by a person: forge-memory review decides.`]),
      ...(kept.length + asked.length === 0 ? ['Nothing was retired like that.'] : []),
    ].join('\n'),
    afterwards: () => changed(project, 'keep', changes),
  }
}

/** Renews everything that expires soon: each text is confirmed, which restarts its lifetime. */
function renew(id: string | undefined, { since, by }: Flags, project: ProjectOptions): Answer {
  if (id !== undefined || since !== undefined || by !== undefined) {
    throw new Failure('INVALID_INPUT', '--expiring takes neither an id nor --since or --by', {
      hint: 'forge-memory keep --expiring renews all that expires within 14 days',
    })
  }
  const renewed = expiringSoon(project).filter((one) => isConfirmed(one, project))
  return {
    document: { renewed: renewed.map((one) => one.id) },
    text: [
      ...renewed.map((one) => `Renewed ${short(one.id)}  ${oneLine(one.text)}`),
      renewed.length === 0
        ? 'Nothing expires within 14 days.'
        : `${counted(renewed.length, 'memory', 'memories')} renewed by their lifetimes.`,
    ].join('\n'),
    afterwards: () => changed(project, 'keep', []),
  }
}

function isConfirmed({ type, text }: RecallHit, project: ProjectOptions): boolean {
  return captureMemory({ type, body: text }, { ...project, ...commandSpeaker() }).deduped
}

/** True if its replacement holds: an earlier text of a record that was brought back since is not brought back again. */
function isReplaced({ retired }: RetiredMemory, project: ProjectOptions): boolean {
  if (retired.id === '') return true
  try {
    const { entry, state } = showMemory(retired.id, project)
    return entry.id === retired.id && state === 'current'
  } catch {
    // A compaction has removed it.
    return true
  }
}
