import type { Command, Help, HelpConfiguration, Option } from 'commander'
import { parted, pathOf } from '../description.js'
import { noteOf } from '../note.js'
import { painterFor } from '../page/page.js'
import { examplesOf } from './registry.js'

type Section = [title: string, lines: string[]]

/** How help is laid out: the commands in groups, then options, examples and aliases. */
export function helpLayout(): HelpConfiguration {
  const paint = painterFor(1)
  return {
    showGlobalOptions: true,
    sortOptions: false,
    styleTitle: (title) => paint('strong', title),
    commandUsage: (command) => `${pathOf(command)} ${command.usage()}`,
    subcommandTerm: (command) => {
      if (command.name() === 'help') return 'help [command...]'
      return isOfProgram(command) ? command.name() : termOf(command)
    },
    optionDescription: stated,
    formatHelp: (command, help) => layOut(command, help),
  }
}

/** The list of all commands names them without their arguments. */
function isOfProgram(command: Command): boolean {
  return command.parent?.parent === null
}

function termOf(command: Command): string {
  return `${command.name()} ${command.usage()}`.trim()
}

function layOut(command: Command, help: Help): string {
  const width = help.padWidth(command, help)
  const item = (term: string, text: string) => help.formatItem(term, width, text, help)
  const parts: Section[] = [
    ...commandGroups(command, help, item),
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
    ['Aliases:', command.aliases().map((name) => `  ${name}`)],
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

function commandGroups(command: Command, help: Help, item: (term: string, text: string) => string): Section[] {
  const groups = new Map<string, string[]>()
  // `help` of a group would say what `--help` says.
  const own = help.visibleCommands(command).filter((each) => command.parent === null || each.name() !== 'help')
  for (const each of own) {
    const title = (command.parent === null && each.helpGroup()) || 'Commands:'
    groups.set(title, [...(groups.get(title) ?? []), item(help.subcommandTerm(each), help.subcommandDescription(each))])
  }
  return [...groups]
}

function examples(command: Command): string[] {
  const [, ...words] = pathOf(command).split(' ')
  return words.length === 0 ? [] : examplesOf(words[0] ?? '', words[1])
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
