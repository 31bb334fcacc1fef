import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { foreignRecords, memoryStatus, type ProjectOptions, type ProjectPlace, projectAt } from '../../native.js'
import { type AskedSetting, approveSetting, unapprovedSettings } from '../../shared/asked-settings.js'
import { given } from '../../shared/given.js'
import { realPathOf } from '../../shared/real-path.js'
import { isFolderTrusted, trustFolder } from '../../shared/trusted-folders.js'
import { counted, oneLine } from '../../text/printable.js'
import { type Answer, type CommandEntry, calledOff, type Respond } from '../command.js'
import { askYesNo } from '../confirm.js'
import { Failure } from '../failure.js'
import { requirePerson } from '../leave.js'
import { isTerminal } from '../page/terminal.js'

export const entry: CommandEntry = {
  group: 'admin',
  summary: 'approve what the files of this project ask for',
  examples: ['forge-memory admin trust', 'forge-memory admin trust --folder --yes'],
}

/** A thing that the files of a project ask for, and its approval. */
interface Ask {
  what: string
  approve(): Promise<unknown> | unknown
}

/** The outcome of approving where `.forge` is. */
interface FolderOutcome {
  project: string
  /** Where memories are kept. */
  target: string
  trusted: boolean
}

interface Flags {
  folder?: boolean
  yes?: boolean
}

export function configure(command: Command, respond: Respond): void {
  command
    .option('--folder', 'approve only the folder of the memory: that .forge is a link, or that others may write it')
    .option('--yes', 'do not ask')
    .action(
      respond(async (options, { folder, yes }: Flags): Promise<Answer> => {
        requirePerson('approve what the files of a project ask for', options)
        if (!folder) return approveAll(options, yes === true)
        const outcome = await approveFolder(options, yes === true)
        return { document: outcome, text: describe(outcome), exitCode: outcome.trusted ? 0 : 1 }
      }),
    )
}

/** Approves everything that the files of this project ask for, after one question. */
async function approveAll(options: ProjectOptions, isOrdered: boolean): Promise<Answer> {
  const approved: string[] = []
  let project = ''
  // Behind a folder that is not approved there may be more to ask.
  for (;;) {
    const place = placeOf(options)
    project = place.projectDir
    const asks = (await asksOf(place, options)).filter(({ what }) => !approved.includes(what))
    if (asks.length === 0) break
    const list = asks.map(({ what }) => what)
    const question = `The files of ${oneLine(project)} ask to\n${listed(list)}\nApprove this on this machine? (y/n)`
    const isYes = isOrdered || (await askHere(question, 'what the files of this project ask for'))
    if (!isYes) return calledOff('Nothing was approved.', { project, asks: list, trusted: false })
    for (const ask of asks) await ask.approve()
    approved.push(...list)
  }
  const text =
    approved.length === 0
      ? 'The files of this project ask for nothing that needs an approval.'
      : `Approved for this project:\n${listed(approved)}`
  return { document: { project, asks: approved, trusted: true }, text }
}

const listed = (list: string[]) => list.map((each) => `  ${each}`).join('\n')

const SETTINGS: Record<AskedSetting, string> = {
  'redact: false': 'store passwords and keys in texts as they are (redact is false in .forge.json)',
  captures: 'store what agents learn here (your settings.json captures in approved projects only)',
}

/** Names the permission behind a setting; the engine writes settings of names as `projectName: shop`. */
function settingText(setting: string): string {
  if (Object.hasOwn(SETTINGS, setting)) return SETTINGS[setting as AskedSetting]
  const [key = '', name = ''] = setting.split(': ')
  return `share the records of the project ${oneLine(name)} in the shared store (${oneLine(key)} in .forge.json)`
}

async function asksOf({ projectDir, memoryDir, problem }: Place, options: ProjectOptions): Promise<Ask[]> {
  const { trustForeignRecords } = await import('../../api/queue.js')
  const { trustOpenBrain, untrustedOpenBrain } = await import('../../api/shared-memory.js')
  const target = linkedFrom(memoryDir)
  const isHidden = problem !== undefined || (target !== undefined && !isFolderTrusted(memoryDir))
  // Approved first: the others read files of that folder.
  if (isHidden) {
    const what = target === undefined ? problem?.message : `keep memories in ${target} (.forge is a link)`
    return [{ what: oneLine(what ?? ''), approve: () => trustFolder(memoryDir) }]
  }
  const addresses = (await untrustedOpenBrain(options)).map((place, at) => ({
    what: `send what is captured to ${oneLine(place)}`,
    approve: () => (at === 0 ? trustOpenBrain(options) : undefined),
  }))
  const settings = [...unapprovedSettings(projectDir), ...memoryStatus(options).unapprovedNames].map((setting) => ({
    what: settingText(setting),
    approve: () => approveSetting(projectDir, setting),
  }))
  const { stores, deletes, rulings } = foreignRecords(options)
  const what = `deliver ${counted(stores, 'record')} and ${counted(deletes + rulings, 'order')} to delete or retire, which this machine did not write`
  const queued = stores + deletes + rulings === 0 ? [] : [{ what, approve: () => trustForeignRecords(options) }]
  return [...addresses, ...settings, ...queued]
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

async function approveFolder(options: ProjectOptions, isOrdered: boolean): Promise<FolderOutcome> {
  const { projectDir: project, memoryDir, problem } = placeOf(options)
  const forge = join(memoryDir, '.forge')
  const linked = linkedFrom(memoryDir)
  const target = linked ?? forge
  if (isFolderTrusted(memoryDir)) return { project, target, trusted: true }
  if (linked === undefined && problem === undefined) {
    throw new Failure(
      'INVALID_INPUT',
      `${forge} is not a link, and only you may write it, so there is nothing to approve`,
    )
  }
  const what =
    linked === undefined ? `${problem?.message ?? ''}.` : `${forge} is a link to ${linked}. Did you make it, and`
  const question = `${oneLine(what)} ${linked === undefined ? 'May' : 'may'} memories be read and written there? (y/n)`
  const trusted = isOrdered || (await askHere(question, oneLine(target)))
  if (trusted) trustFolder(memoryDir)
  return { project, target, trusted }
}

/** A project, and why its memory is not used, if it is not. */
interface Place {
  projectDir: string
  memoryDir: string
  problem: ProjectPlace['problem']
}

/** Finds the project even when others may write its memory, because that may be approved. */
function placeOf({ projectDir: named }: ProjectOptions): Place {
  const { projectDir, memoryDir, problem } = named === undefined ? projectAt() : projectAt(named, true)
  if (projectDir !== undefined && memoryDir !== undefined) return { projectDir, memoryDir, problem }
  throw new Failure(problem?.code ?? 'INTERNAL', problem?.message ?? '', given({ hint: problem?.hint }))
}

/** The target of a `.forge` that is a link; undefined when it is none. */
function linkedFrom(memoryDir: string): string | undefined {
  const link = join(memoryDir, '.forge')
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined
  const target = realPathOf(link)
  if (target !== undefined) return target
  throw new Failure('INVALID_INPUT', `${link} is a broken link`, { hint: 'remove it, or create its target' })
}

function describe({ project, target, trusted }: FolderOutcome): string {
  const [where, what] = [oneLine(target), oneLine(project)]
  return trusted ? `Memories of ${what} may be kept in ${where}.` : 'Nothing was approved.'
}
