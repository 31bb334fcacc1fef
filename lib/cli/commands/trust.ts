import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { findProject, type ProjectOptions } from '../../native.js'
import { realPathOf } from '../../shared/real-path.js'
import { isFolderTrusted, trustFolder } from '../../shared/trusted-folders.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { askYesNo } from '../confirm.js'
import { Failure } from '../failure.js'
import { isTerminal } from '../page/terminal.js'

/** The outcome of approving `.forge` as a link. */
interface TrustOutcome {
  project: string
  /** The target of the link. */
  target: string
  trusted: boolean
}

export function configure(command: Command, respond: Respond): void {
  command
    .requiredOption('--folder', 'approve, on this machine, that .forge of this project is a link to another folder')
    .option('--yes', 'do not ask')
    .action(
      respond(async (options, { yes }: { yes?: boolean }): Promise<Answer> => {
        const outcome = await approveLink(options, yes === true)
        return { document: outcome, text: () => describe(outcome), exitCode: outcome.trusted ? 0 : 1 }
      }),
    )
}

async function approveLink(options: ProjectOptions, isOrdered: boolean): Promise<TrustOutcome> {
  const project = findProject(options)
  const link = join(project, '.forge')
  const target = targetOf(link)
  if (isFolderTrusted(project, link)) return { project, target, trusted: true }
  if (!isOrdered && !isTerminal(0)) {
    const hint = `add --yes to approve ${oneLine(target)} without being asked`
    throw new Failure(
      'INVALID_INPUT',
      'this command asks for confirmation before it approves, and standard input is not a terminal',
      {
        hint,
      },
    )
  }
  const question = `${oneLine(link)} is a link to ${oneLine(target)}. Did you make it, and may memories be read and written there? (yes/no)`
  const trusted = isOrdered || (await askYesNo(question))
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

function describe({ project, target, trusted }: TrustOutcome): string {
  const [where, what] = [oneLine(target), oneLine(project)]
  return trusted ? `Memories of ${what} may be kept in ${where}.` : 'Nothing was approved.'
}
