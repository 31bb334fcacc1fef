import { Command, CommanderError } from 'commander'
import type { ProjectOptions } from '../../native.js'
import { agentIn } from '../../shared/agent-signs.js'
import { variable } from '../../shared/environment.js'
import { didYouMean } from '../../shared/nearest.js'
import { attempt, INVALID_INPUT_HINT } from '../../shared/problem.js'
import { oneLine, printableJson } from '../../text/printable.js'
import { type Action, type Answer, addNote, asksForJson, type Handler, type Respond } from '../command.js'
import { type CommandDescription, describeCommand, pathOf } from '../description.js'
import { describe, exitCodeOf, Failure, type Redact } from '../failure.js'
import { write } from '../page/output.js'
import { openPage, type Page, sentences, widthOf } from '../page/page.js'
import { ERASE_LINE, isTerminal } from '../page/terminal.js'
import { beginWork, endWork, type Work } from '../page/work.js'
import type { CommandGroup, FoundCommand } from './entries.js'
import { helpLayout } from './help.js'
import { ALIASES, commands, examplesOf, isGroup, LEADS, named, paths, spelledOut } from './registry.js'

/** Defined by the bundler from package.json. */
declare const FORGE_MEMORY_VERSION: string

/** Runs one command line and returns the exit code: 0 done, 1 failed, 2 wrong usage. Never throws. */
export async function run(argv: string[]): Promise<number> {
  const json = asksForJson(argv)
  const state = { exitCode: 0 }
  const program = createProgram(json)
  try {
    if (argv.length === 0 && isTerminal(0) && isTerminal(1)) {
      const { welcome } = await import('../welcome/welcome.js')
      return await welcome(run, FORGE_MEMORY_VERSION)
    }
    const args = spelledOut(argv)
    await addCommands(program, args, json, state)
    await program.parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' })
    return state.exitCode
  } catch (error) {
    return answerHelp(error, program, argv, json).catch((thrown: unknown) => report(thrown, json, program, argv))
  }
}

function createProgram(json = false): Command {
  return addNote(
    new Command('forge-memory'),
    'forge-memory help COMMAND shows its options and examples: help find, help share.',
  )
    .description('Durable memory for coding agents, kept as plain files in your project.')
    .version(FORGE_MEMORY_VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .option('-j, --json', 'print one JSON document and nothing else')
    .option('-p, --project <dir>', 'use the project of this folder (default: found from the working directory)')
    .option(
      '--as <speaker>',
      'speak as a person: on a terminal it gives leave to scripts of this project, which then may say so',
    )
    .option('--no-pager', 'print at once: no list goes through $PAGER, and nothing is asked about what was found')
    .configureHelp(helpLayout())
    .configureOutput({
      writeOut: (text) => json || write(1, text),
      // Errors are thrown and printed in one place, `report`.
      writeErr: () => undefined,
      outputError: () => undefined,
      getOutHelpWidth: () => Math.min(widthOf(1), 100),
      getOutHasColors: () => true,
    })
    .showSuggestionAfterError(false)
    .exitOverride()
}

/**
 * Declares the command that was typed, and loads its file. When no such command was typed, declares all others by name
 * only, because the output is then the list of commands, or a suggestion from it.
 */
async function addCommands(
  program: Command,
  argv: string[],
  json: boolean,
  state: { exitCode: number },
): Promise<void> {
  const typed = named(argv)
  for (const entry of commands) {
    if (!isGroup(entry)) await addCommand(program, entry, entry === typed, respondFor(entry, json, state))
    else
      await addGroup(
        program,
        entry,
        (own) => own === typed,
        (own) => respondFor(own, json, state),
      )
  }
}

function respondFor(entry: FoundCommand, json: boolean, state: { exitCode: number }): Respond {
  return (handler) => actionFor(handler, entry, json, state)
}

async function addGroup(
  program: Command,
  group: CommandGroup,
  isLoaded: (entry: FoundCommand) => boolean,
  respond: (entry: FoundCommand) => Respond,
): Promise<void> {
  const command = addNote(declare(program, group).helpCommand(false), GROUP_NOTE)
  for (const entry of group.commands) await addCommand(command, entry, isLoaded(entry), respond(entry))
}

const GROUP_NOTE = 'The name of the group may be left out: forge-memory export is forge-memory share export.'

/** Declares a command, and loads its file when that is asked for. */
async function addCommand(parent: Command, entry: FoundCommand, isLoaded: boolean, respond: Respond): Promise<void> {
  const command = declare(parent, entry)
  if (isLoaded) (await entry.load()).configure(command, respond, { run, describe: describeProgram })
}

function declare(parent: Command, { name, summary }: FoundCommand | CommandGroup): Command {
  return parent.command(name).summary(summary).description(sentence(summary))
}

/**
 * Describes the program with all commands: the source of man pages, completion and the reference. With the words of a line, only
 * the command that they name is loaded.
 */
async function describeProgram(words?: string[]): Promise<CommandDescription> {
  const program = createProgram()
  const respond = (): Respond => () => async () => undefined
  const typed = words === undefined ? undefined : named(spelledOut(words))
  const isLoaded = (entry: FoundCommand) => words === undefined || entry === typed
  for (const entry of commands) {
    if (isGroup(entry)) await addGroup(program, entry, isLoaded, respond)
    else await addCommand(program, entry, isLoaded(entry), respond())
  }
  return { ...describeCommand(program, examplesOf), aliases: Object.fromEntries(ALIASES) }
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
}

/**
 * Answers a request for help or for the version. Commander has printed the text then; the document is printed here. A
 * group of commands without one of them is answered with its help. Throws all other errors on.
 */
async function answerHelp(error: unknown, program: Command, argv: string[], json: boolean): Promise<number> {
  if (!(error instanceof CommanderError)) throw error
  if (error.code === 'commander.version') {
    if (json) write(1, `${printableJson({ version: FORGE_MEMORY_VERSION }, 2)}\n`)
    return 0
  }
  if (error.code !== 'commander.helpDisplayed' && error.code !== 'commander.help') throw error
  const command = typedCommand(program, spelledOut(argv))
  if (json) {
    const found = pathOf(command).split(' ').slice(1)
    const described = found.reduce<CommandDescription | undefined>(
      (parent, name) => parent?.commands.find((each) => each.path.at(-1) === name),
      await describeProgram(),
    )
    write(1, `${printableJson(described, 2)}\n`)
  } else if (error.code === 'commander.help') write(1, command.helpInformation())
  return 0
}

/** The command that a command line names, as far as it names one. */
function typedCommand(program: Command, argv: string[]): Command {
  let command = program
  for (const word of operandsOf(program, argv)) {
    const next = command.commands.find((each) => each.name() === word)
    if (next === undefined) break
    command = next
  }
  return command
}

/** The words of a command line that are no options. A line that ends with an option without its value is not parsed. */
function operandsOf(program: Command, argv: string[]): string[] {
  return attempt(() => program.parseOptions(argv).operands) ?? argv.filter((word) => !word.startsWith('-'))
}

/** What a pause keeps from agents: the commands by which they would read or store memories. */
const OF_MEMORY = new Set([
  'add',
  'edit',
  'export',
  'find',
  'forget',
  'import',
  'keep',
  'list',
  'ralph',
  'rate',
  'replace',
  'show',
  'watch',
])

function actionFor(handler: Handler, entry: FoundCommand, json: boolean, state: { exitCode: number }): Action {
  return async (...args) => {
    const command = args.pop() as Command
    const { project, pager, as } = command.optsWithGlobals<{ project?: string; pager: boolean; as?: string }>()
    const options = project === undefined ? {} : { projectDir: project }
    if (as !== undefined || variable('FORGE_AS')) (await import('../leave.js')).speakAs(as, options)
    if (agentIn(process.env) !== undefined && OF_MEMORY.has(entry.name))
      (await import('../leave.js')).refusePaused(options)
    const work = command.name() === entry.name ? entry.work : entry.subwork?.[command.name()]
    const answer = await (entry.isServer ? handler(options, ...args) : runWithProgress(options, work, handler, args))
    const isPaged = entry.isList === true && pager
    await print(answer, json, isPaged)
    state.exitCode = answer.exitCode ?? 0
    if (isPaged && !json && isTerminal(0) && isTerminal(1)) await answer.ask?.()
    runAfterwards(answer)
  }
}

/** Runs a command's function, shows progress on a terminal after a second, and after an interruption the part that is kept. */
async function runWithProgress(
  project: ProjectOptions,
  work: Work | undefined,
  handler: Handler,
  args: unknown[],
): Promise<Answer> {
  if (work !== undefined) await sayWhatIsKept(work)
  const display = isTerminal(2) ? (await import('./waiting.js')).displayOf(project, work) : undefined
  if (display !== undefined) beginWork(display)
  try {
    return await handler(project, ...args)
  } finally {
    endWork()
  }
}

async function sayWhatIsKept({ kept }: Work): Promise<void> {
  const { endOnInterrupt } = await import('../../native.js')
  endOnInterrupt(`${isTerminal(2) ? ERASE_LINE : ''}interrupted: ${kept}\n`)
}

async function print(answer: Answer, json: boolean, isPaged: boolean): Promise<void> {
  if (answer.bytes) {
    write(1, answer.bytes(json, widthOf(1)))
  } else {
    const text = json ? printableJson(answer.document, 2) : laidOut(answer.text, await openPage(1))
    const isShown = !json && isPaged && (await import('../page/pager.js')).showInPager(`${text.trimEnd()}\n`)
    if (text !== '' && !isShown) write(1, `${text.trimEnd()}\n`)
  }
  if (answer.warnings === undefined || answer.warnings.length === 0) return
  const { paint, wrap, width } = await openPage(2)
  for (const warning of answer.warnings)
    write(2, `${wrap(`${paint('warning', 'warning:')} ${oneLine(warning)}`, width)}\n`)
}

function laidOut(text: Answer['text'], page: Page): string {
  return typeof text === 'string' ? sentences(text, page) : text(page)
}

/**
 * Runs follow-up work. Its failure is ignored: it only speeds up the next command, and `doctor` reports when it always
 * fails.
 */
function runAfterwards(answer: Answer): void {
  try {
    answer.afterwards?.()
  } catch {
    return
  }
}

async function report(error: unknown, json: boolean, program: Command, argv: string[]): Promise<number> {
  const redact = await loadRedact()
  const args = spelledOut(argv)
  const command = typedCommand(program, args)
  const path = pathOf(command)
  const failure = error instanceof CommanderError ? usage(unknownFirst(error, program, command, args), command) : error
  const problem = describe(failure, redact)
  if (problem.hint === INVALID_INPUT_HINT) problem.hint = `${path} --help shows what is accepted`
  const { paint, wrap, width } = await openPage(2)
  const lines = [`${paint('bad', 'error:')} ${problem.message} (${problem.code})`]
  if (problem.hint) lines.push(`${paint('strong', 'hint:')} ${problem.hint}`)
  const page = !json && error instanceof Failure ? error.page : undefined
  tryToWrite(2, page === undefined ? `${wrap(lines.join('\n'), width)}\n` : redact(page))
  const outcome = error instanceof Failure && error.outcome !== undefined ? { outcome: error.outcome } : {}
  if (json) tryToWrite(1, `${printableJson({ error: problem, ...outcome }, 2)}\n`)
  return exitCodeOf(problem)
}

/** The addon itself may have failed to load, so redaction may be unavailable. */
async function loadRedact(): Promise<Redact> {
  try {
    return (await import('../../native.js')).redactSecrets
  } catch {
    return (text) => text
  }
}

/** Writing itself may have failed; the exit code alone reports the error then. */
function tryToWrite(descriptor: number, text: string): void {
  try {
    write(descriptor, text)
  } catch {
    return
  }
}

/** Commander looks for missing options before unknown ones: a mistyped option would be reported as a missing one. */
function unknownFirst(error: CommanderError, program: Command, command: Command, argv: string[]): CommanderError {
  if (error.code !== 'commander.missingMandatoryOptionValue') return error
  const { operands, unknown } = program.parseOptions(argv)
  const option = command.parseOptions([...operands, ...unknown]).unknown.find((word) => /^-./.test(word))
  if (option === undefined) return error
  return new CommanderError(error.exitCode, 'commander.unknownOption', `error: unknown option '${option}'`)
}

/** Turns an error of commander into a failure with a hint. */
function usage(error: CommanderError, command: Command): Failure {
  const message = error.message.replace(/^error: /, '')
  const hint = similarName(message, command) ?? hintFor(error.code, pathOf(command))
  return new Failure('INVALID_INPUT', message, hint === undefined ? {} : { hint })
}

/** Names the command, the option or the choice that a wrong one is similar to. */
function similarName(message: string, command: Command): string | undefined {
  const [, name] = /^unknown command '([^']+)'/.exec(message) ?? []
  if (name !== undefined) {
    const lead = command.parent === null ? LEADS.get(name) : undefined
    if (lead !== undefined) return lead
    const own = command.commands.map((each) => each.name())
    return didYouMean(
      name,
      // In a group, the name of another command may be what was typed.
      [...own, ...paths.keys(), ...ALIASES.keys()].filter((each) => !each.includes(' ') && each !== name),
    )
  }
  const [, option] = /^unknown option '(--[^'=]+)/.exec(message) ?? []
  if (option !== undefined) return didYouMean(option, optionsOf(command))
  const [, word, choices] = / '([^']+)' is invalid.* Allowed choices are (.+)\.$/.exec(message) ?? []
  return word === undefined || choices === undefined ? undefined : didYouMean(word, choices.split(', '))
}

/** The long options of a command and of those above it. */
function optionsOf(command: Command): string[] {
  const own = command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => long ?? [])
  return command.parent === null ? own : [...own, ...optionsOf(command.parent)]
}

function hintFor(code: string, path: string): string | undefined {
  if (code === 'commander.unknownCommand') return `${path} --help lists the commands`
  if (code === 'commander.unknownOption')
    return `${path} --help lists the options; put -- before text that starts with a dash`
  const isMissing = code === 'commander.missingArgument' || code === 'commander.missingMandatoryOptionValue'
  const [example] = isMissing ? examplesOf(path.split(' ').slice(1)) : []
  return example === undefined ? undefined : `for example ${example}; ${path} --help shows what is accepted`
}
