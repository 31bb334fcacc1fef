import { Command, CommanderError } from 'commander'
import type { ProjectOptions } from '../../native.js'
import { oneLine, printableJson } from '../../text/printable.js'
import type { Action, Answer, Handler, Respond } from '../answer.js'
import { describe, exitCodeOf, Failure, type Redact } from '../failure.js'
import { write } from '../page/output.js'
import { openPage, painterFor, widthOf } from '../page/page.js'
import { isTerminal } from '../page/terminal.js'
import { type CommandEntry, commands } from './registry.js'

/** Put in by the bundler from package.json. */
declare const FORGE_MEMORY_VERSION: string

/** Runs one command line and returns the exit code: 0 done, 1 failed, 2 wrong usage. Never throws. */
export async function run(argv: string[]): Promise<number> {
  const json = wantsJson(argv)
  const state = { exitCode: 0 }
  try {
    const program = createProgram()
    const respond: Respond = (handler) => actionFor(handler, json, state)
    const args = await addCommands(program, argv, respond)
    if (argv.length === 0) write(1, program.helpInformation())
    else await program.parseAsync(args, { from: 'user' })
    return state.exitCode
  } catch (error) {
    return report(error, json)
  }
}

/** Looks for `--json` without parsing, because a command line that does not parse must be answered in JSON as well. */
function wantsJson(argv: string[]): boolean {
  const end = argv.indexOf('--')
  return (end < 0 ? argv : argv.slice(0, end)).includes('--json')
}

function createProgram(): Command {
  const paint = painterFor(1)
  return new Command('forge-memory')
    .description('Durable memory for coding agents, kept as plain files in your project.')
    .version(FORGE_MEMORY_VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .option('--json', 'print one JSON document and nothing else')
    .option('--project <dir>', 'use the project of this folder (default: found from the working directory)')
    .configureHelp({ showGlobalOptions: true, sortOptions: false, styleTitle: (title) => paint('bold', title) })
    .configureOutput({
      writeOut: (text) => write(1, text),
      // Errors are thrown and printed in one place, `report`.
      writeErr: () => undefined,
      outputError: () => undefined,
      getOutHelpWidth: () => Math.min(widthOf(1), 100),
      getOutHasColors: () => true,
    })
    .exitOverride()
}

/**
 * Declares the command that was typed, with its file loaded. The others are declared, by name only, when none of them was
 * typed: then the answer is the list of commands, or a suggestion out of it. Returns the arguments to parse.
 */
async function addCommands(program: Command, argv: string[], respond: Respond): Promise<string[]> {
  const [first, second] = program.parseOptions(argv).operands
  const typed = first === 'help' ? second : first
  const entry = commands.find(({ name }) => name === typed)
  if (entry) (await entry.load()).configure(declare(program, entry), respond, run)
  else for (const other of commands) declare(program, other)
  // Help for a command that does not exist is answered like the command itself.
  return entry === undefined && first === 'help' && second !== undefined ? [second] : argv
}

function declare(program: Command, { name, summary }: CommandEntry): Command {
  return program.command(name).summary(summary).description(sentence(summary))
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
}

function actionFor(handler: Handler, json: boolean, state: { exitCode: number }): Action {
  return async (...args) => {
    const command = args.pop() as Command
    const { project } = command.optsWithGlobals<{ project?: string }>()
    const isSlow = commands.some((entry) => entry.isSlow && entry.name === command.name())
    const answer = await watched(project === undefined ? {} : { projectDir: project }, isSlow, handler, args)
    await print(answer, json)
    state.exitCode = answer.exitCode ?? 0
    settle(answer)
  }
}

/** Runs a command's function; on a terminal, a wait of more than a second is shown. */
async function watched(project: ProjectOptions, isSlow: boolean, handler: Handler, args: unknown[]): Promise<Answer> {
  const stop = isTerminal(2) ? (await import('./waiting.js')).showWaiting(project, isSlow) : undefined
  try {
    return await handler(project, ...args)
  } finally {
    stop?.()
  }
}

async function print(answer: Answer, json: boolean): Promise<void> {
  if (answer.bytes) {
    write(1, answer.bytes(json, widthOf(1)))
  } else {
    const text = json ? printableJson(answer.document, 2) : answer.text(await openPage(1))
    if (text !== '') write(1, `${text.trimEnd()}\n`)
  }
  const paint = painterFor(2)
  for (const warning of answer.warnings ?? []) write(2, `${paint('yellow', 'warning:')} ${oneLine(warning)}\n`)
}

/** The answer is out and true; what follows only saves the next command some work, and `doctor` tells if it never can. */
function settle(answer: Answer): void {
  try {
    answer.afterwards?.()
  } catch {
    return
  }
}

async function report(error: unknown, json: boolean): Promise<number> {
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  const redact = await loadRedact()
  const problem = describe(error instanceof CommanderError ? usage(error) : error, redact)
  const paint = painterFor(2)
  const lines = [`${paint('red', 'error:')} ${problem.message} (${problem.code})`]
  if (problem.hint) lines.push(`${paint('cyan', 'hint:')} ${problem.hint}`)
  const page = !json && error instanceof Failure ? error.page : undefined
  tryToWrite(2, page === undefined ? `${lines.join('\n')}\n` : redact(page))
  const outcome = error instanceof Failure && error.outcome !== undefined ? { outcome: error.outcome } : {}
  if (json) tryToWrite(1, `${printableJson({ error: problem, ...outcome }, 2)}\n`)
  return exitCodeOf(problem)
}

/** The error itself may be that the engine cannot be loaded. */
async function loadRedact(): Promise<Redact> {
  try {
    return (await import('../../native.js')).redactSecrets
  } catch {
    return (text) => text
  }
}

/** The error itself may be that nothing can be written; the exit code then has to say it alone. */
function tryToWrite(descriptor: number, text: string): void {
  try {
    write(descriptor, text)
  } catch {
    return
  }
}

/** Turns commander's "error: unknown command 'recal'\n(Did you mean recall?)" into a failure with a hint. */
function usage(error: CommanderError): Failure {
  if (error.code === 'commander.help') {
    const hint = 'forge-memory <command> --help lists them'
    return new Failure('INVALID_INPUT', 'this command needs a subcommand', { hint })
  }
  const [first = '', ...rest] = error.message.split('\n')
  const suggestion = rest
    .join(' ')
    .trim()
    .replace(/^\(Did|\)$/g, (edge) => (edge === ')' ? '' : 'did'))
  const message = first.replace(/^error: /, '')
  const hint = suggestion === '' ? hintFor(error.code) : suggestion
  return new Failure('INVALID_INPUT', message, hint === undefined ? {} : { hint })
}

function hintFor(code: string): string | undefined {
  if (code === 'commander.unknownCommand') return 'forge-memory --help lists the commands'
  if (code === 'commander.unknownOption') return 'put -- before text that starts with a dash'
  return undefined
}
