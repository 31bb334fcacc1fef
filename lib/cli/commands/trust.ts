import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { findProject, foreignRecords, type ProjectOptions } from '../../native.js'
import { type AskedSetting, approveSetting, unapprovedSettings } from '../../shared/asked-settings.js'
import { realPathOf } from '../../shared/real-path.js'
import { isFolderTrusted, trustFolder } from '../../shared/trusted-folders.js'
import { counted } from '../../text/amount.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { askYesNo } from '../confirm.js'
import { Failure } from '../failure.js'
import { isTerminal } from '../page/terminal.js'

/** A thing that the files of a project ask for, and its approval. */
interface Ask {
  what: string
  approve(): Promise<unknown> | unknown
}

/** The outcome of approving `.forge` as a link. */
interface FolderOutcome {
  project: string
  /** The target of the link. */
  target: string
  trusted: boolean
}

interface Flags {
  folder?: boolean
  yes?: boolean
}

export function configure(command: Command, respond: Respond): void {
  command
    .option('--folder', 'approve only that .forge of this project is a link to another folder')
    .option('--yes', 'do not ask')
    .action(
      respond(async (options, { folder, yes }: Flags): Promise<Answer> => {
        if (!folder) return approveAll(options, yes === true)
        const outcome = await approveLink(options, yes === true)
        return { document: outcome, text: () => describe(outcome), exitCode: outcome.trusted ? 0 : 1 }
      }),
    )
}

/** Approves everything that the files of this project ask for, after one question. */
async function approveAll(options: ProjectOptions, isOrdered: boolean): Promise<Answer> {
  const project = findProject(options)
  const approved: string[] = []
  // Behind a link that is not approved there may be more to ask.
  for (;;) {
    const asks = (await asksOf(project, options)).filter(({ what }) => !approved.includes(what))
    if (asks.length === 0) break
    const list = asks.map(({ what }) => what)
    const question = `The files of ${oneLine(project)} ask to\n${listed(list)}\nApprove this on this machine? (yes/no)`
    const isYes = isOrdered || (await askHere(question, 'what the files of this project ask for'))
    if (!isYes)
      return { document: { project, asks: list, trusted: false }, text: () => 'Nothing was approved.', exitCode: 1 }
    for (const ask of asks) await ask.approve()
    approved.push(...list)
  }
  const text =
    approved.length === 0
      ? 'The files of this project ask for nothing that needs an approval.'
      : `Approved for this project:\n${listed(approved)}`
  return { document: { project, asks: approved, trusted: true }, text: () => text }
}

const listed = (list: string[]) => list.map((each) => `  ${each}`).join('\n')

const SETTINGS: Record<AskedSetting, string> = {
  'redact: false': 'store passwords and keys in texts as they are (redact is false in .forge.json)',
  captures: 'store what agents learn here (your settings.json captures in approved projects only)',
}

async function asksOf(project: string, options: ProjectOptions): Promise<Ask[]> {
  const { trustForeignRecords } = await import('../../api/queue.js')
  const { trustOpenBrain, untrustedOpenBrain } = await import('../../api/shared-memory.js')
  const link = join(project, '.forge')
  const target = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() ? realPathOf(link) : undefined
  const isLinked = target !== undefined && !isFolderTrusted(project, link)
  // Approved first: the others read files of that folder.
  const linked: Ask[] = isLinked
    ? [{ what: `keep memories in ${oneLine(target)} (.forge is a link)`, approve: () => trustFolder(project, link) }]
    : []
  const addresses = (await untrustedOpenBrain(options)).map((place, at) => ({
    what: `send what is captured to ${oneLine(place)}`,
    approve: () => (at === 0 ? trustOpenBrain(options) : undefined),
  }))
  const settings = unapprovedSettings(project).map((setting) => ({
    what: SETTINGS[setting],
    approve: () => approveSetting(project, setting),
  }))
  const { stores, deletes } = isLinked ? { stores: 0, deletes: 0 } : foreignRecords(options)
  const what = `deliver ${counted(stores, 'record')} and ${counted(deletes, 'order')} to delete, which this machine did not write`
  const queued = stores + deletes === 0 ? [] : [{ what, approve: () => trustForeignRecords(options) }]
  return [...linked, ...addresses, ...settings, ...queued]
}

/** Asks on a terminal; elsewhere, an approval has to be ordered. */
async function askHere(question: string, what: string): Promise<boolean> {
  if (isTerminal(0)) return askYesNo(question)
  throw new Failure(
    'INVALID_INPUT',
    'this command asks for confirmation before it approves, and standard input is not a terminal',
    { hint: `add --yes to approve ${what} without being asked` },
  )
}

async function approveLink(options: ProjectOptions, isOrdered: boolean): Promise<FolderOutcome> {
  const project = findProject(options)
  const link = join(project, '.forge')
  const target = targetOf(link)
  if (isFolderTrusted(project, link)) return { project, target, trusted: true }
  const question = `${oneLine(link)} is a link to ${oneLine(target)}. Did you make it, and may memories be read and written there? (yes/no)`
  const trusted = isOrdered || (await askHere(question, oneLine(target)))
  if (trusted) trustFolder(project, link)
  return { project, target, trusted }
}

function targetOf(link: string): string {
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() !== true) {
    throw new Failure('INVALID_INPUT', `${link} is not a link, so there is nothing to approve`)
  }
  const target = realPathOf(link)
  if (target !== undefined) return target
  const hint = 'remove it, or create its target'
  throw new Failure('INVALID_INPUT', `${link} is a broken link`, { hint })
}

function describe({ project, target, trusted }: FolderOutcome): string {
  const [where, what] = [oneLine(target), oneLine(project)]
  return trusted ? `Memories of ${what} may be kept in ${where}.` : 'Nothing was approved.'
}
