import { type Command, Help, type HelpConfiguration, type Option } from 'commander'
import { noteOf } from '../command.js'
import { parted, pathOf } from '../description.js'
import { painterFor } from '../page/page.js'
import { examplesOf, isDaily, named } from './registry.js'

type Section = [title: string, lines: string[]]

/** How help is laid out: the commands in groups, then options, examples and aliases. */
export function helpLayout(): HelpConfiguration {
  const paint = painterFor(1)
  return {
    showGlobalOptions: true,
    sortOptions: false,
    minWidthToWrap: TEXT_MIN,
    formatItem,
    styleTitle: (title) => paint('strong', title),
    commandUsage: (command) => `${pathOf(command)} ${command.usage()}`,
    subcommandTerm: (command) => (isListed(command) ? command.name() : `${command.name()} ${command.usage()}`.trim()),
    optionDescription: stated,
    formatHelp: (command, help) => layOut(command, help),
  }
}

/** The narrowest column of descriptions; where there is no room for it, they are below what they describe. */
const TEXT_MIN = 20
const BELOW = 6

function formatItem(term: string, width: number, text: string, help: Help): string {
  const room = help.helpWidth ?? 80
  if (text === '' || room - width - 4 >= TEXT_MIN) return Help.prototype.formatItem.call(help, term, width, text, help)
  const lines = help.boxWrap(text, room - BELOW).split('\n')
  return [`  ${term}`, ...lines.map((line) => ' '.repeat(BELOW) + line)].join('\n')
}

/** The lists of the program and of its groups name commands without their arguments. */
function isListed(command: Command): boolean {
  const words = pathOf(command).split(' ').slice(1)
  return named(words)?.name === words.at(-1)
}

/** The first page: it fits a terminal of 80 columns and 24 lines, with the line for the next command. */
function firstPage(program: Command, help: Help): string {
  const width = Math.max(...program.commands.map((each) => each.name().length))
  const own = (isOwn: boolean) => program.commands.filter((each) => isDaily(each.name()) === isOwn)
  const item = (each: Command) => help.formatItem(each.name(), width, help.subcommandDescription(each), help)
  const room = help.helpWidth ?? 80
  const flags = program.options.map(({ flags }) => flags).join('  ')
  const parts = [
    help.boxWrap(help.commandDescription(program), room),
    own(true).map(item).join('\n'),
    own(false).map(item).join('\n'),
    help.boxWrap(`${help.styleTitle('Options:')} ${flags}  -h, --help\n${noteOf(program)}`, room),
  ]
  return `${parts.join('\n\n')}\n`
}

function layOut(command: Command, help: Help): string {
  if (command.parent === null) return firstPage(command, help)
  const width = help.padWidth(command, help)
  const item = (term: string, text: string) => help.formatItem(term, width, text, help)
  const parts: Section[] = [
    [
      'Commands:',
      help
        .visibleCommands(command)
        .filter((each) => each.name() !== 'help')
        .map((each) => item(help.subcommandTerm(each), help.subcommandDescription(each))),
    ],
    [
      'Arguments:',
      help.visibleArguments(command).map((each) => item(help.argumentTerm(each), help.argumentDescription(each))),
    ],
    ['Options:', help.visibleOptions(command).map((each) => item(help.optionTerm(each), help.optionDescription(each)))],
    [
      'Global options:',
      help
        .visibleGlobalOptions(command)
        .filter(({ long }) => long !== '--version')
        .map((each) => item(help.optionTerm(each), help.optionDescription(each))),
    ],
    ['Examples:', examples(command).map((line) => `  ${line}`)],
  ]
  const shown = parts.filter(([, lines]) => lines.length > 0)
  const room = help.helpWidth ?? 80
  return [
    `${help.styleTitle('Usage:')} ${help.commandUsage(command)}`,
    help.boxWrap(help.commandDescription(command), room),
    ...shown.map(([title, lines]) => [help.styleTitle(title), ...lines].join('\n')),
    ...[noteOf(command)].flatMap((text) => (text === undefined ? [] : [help.boxWrap(text, room)])),
  ]
    .join('\n\n')
    .concat('\n')
}

function examples(command: Command): string[] {
  return examplesOf(pathOf(command).split(' ').slice(1))
}

/** Puts the choices of an option before its default: "where to look: project, global or all (default: all)". */
function stated(option: Option): string {
  const { text, usual } = parted(option.description)
  const choices = option.argChoices === undefined ? '' : `: ${listed(option.argChoices)}`
  const standard =
    usual ?? (option.defaultValue === undefined || option.isBoolean() ? undefined : String(option.defaultValue))
  return `${text}${choices}${standard === undefined ? '' : ` (default: ${standard})`}`
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
