import type { Argument, Command, Option } from 'commander'
import { noteOf } from './command.js'

/** The description of a command for help, the reference, man pages and shell completion. `help --json` prints it. */
export interface CommandDescription {
  /** The words that are typed: `['lattice', 'query']`; empty for the program itself. */
  path: string[]
  /** A phrase in lower case, for lists. */
  summary: string
  /** A sentence. */
  description: string
  usage: string
  arguments: ArgumentDescription[]
  options: OptionDescription[]
  examples: string[]
  /** A paragraph that help shows at the end. */
  note?: string
  commands: CommandDescription[]
  /** Of the program: other names that commands have, with the words that they stand for. No list shows them. */
  aliases?: Record<string, string>
}

export interface ArgumentDescription {
  name: string
  isRequired: boolean
  isVariadic: boolean
  description: string
  choices?: string[]
}

export interface OptionDescription {
  /** As help shows it: `-t, --type <type>`. */
  flags: string
  long: string
  short?: string
  /** The name of its value; absent when it takes none. */
  value?: string
  isRepeatable: boolean
  isRequired: boolean
  description: string
  choices?: string[]
  /** The value when it is not given. */
  default?: string
}

/** The functions of the program that its commands may call. */
export interface Program {
  /** Runs another command line, and returns its exit code. */
  run(argv: string[]): Promise<number>
  /**
   * Describes the program with all its commands, and loads all their files. With the words of a line, only the command that they
   * name is loaded; of the others only names and summaries are told.
   */
  describe(words?: string[]): Promise<CommandDescription>
}

type ExamplesOf = (path: string[]) => string[]

/** Describes a command and its own commands. Hidden ones, and hidden options, are left out. */
export function describeCommand(command: Command, examplesOf: ExamplesOf, path: string[] = []): CommandDescription {
  const help = command.createHelp()
  const note = noteOf(command)
  const own = help.visibleCommands(command).filter((each) => command.commands.includes(each))
  return {
    path,
    summary: command.summary() || phrase(command.description()),
    description: command.description(),
    usage: [pathOf(command), command.usage()].join(' ').trim(),
    arguments: command.registeredArguments.map(describeArgument),
    options: help.visibleOptions(command).map(describeOption),
    examples: examplesOf(path),
    ...(note === undefined ? {} : { note }),
    commands: own.map((each) => describeCommand(each, examplesOf, [...path, each.name()])),
  }
}

/** The words that lead to a command, those of the program first. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

function phrase(sentence: string): string {
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/\.$/, '')}`
}

function describeArgument(argument: Argument): ArgumentDescription {
  return {
    name: argument.name(),
    isRequired: argument.required,
    isVariadic: argument.variadic,
    description: argument.description,
    ...(argument.argChoices === undefined ? {} : { choices: [...argument.argChoices] }),
  }
}

function describeOption(option: Option): OptionDescription {
  const { text, usual } = parted(option.description)
  const value = /[<[]([^>\]]+)[>\]]/.exec(option.flags)?.[1]
  const standard = usual ?? (option.defaultValue === undefined ? undefined : String(option.defaultValue))
  return {
    flags: option.flags,
    long: option.long ?? option.flags,
    ...(option.short === undefined ? {} : { short: option.short }),
    ...(value === undefined ? {} : { value: value.replace(/\.\.\.$/, '') }),
    isRepeatable: option.variadic || / may be repeated$/.test(text),
    isRequired: option.mandatory,
    description: text,
    ...(option.argChoices === undefined ? {} : { choices: [...option.argChoices] }),
    ...(value === undefined || standard === undefined ? {} : { default: standard }),
  }
}

/** Parts the effect of an option from its default, which is stated at the end. */
export function parted(description: string): { text: string; usual: string | undefined } {
  const found = /^(.*?) \(default: (.+)\)$/s.exec(description)
  return found === null ? { text: description, usual: undefined } : { text: found[1] ?? '', usual: found[2] }
}
