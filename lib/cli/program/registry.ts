// The one list of commands: their names, their groups and their examples. Help, the reference, man pages and shell completion
// read it.

import { type CommandGroup, entries, type FoundCommand } from './entries.js'

/** The order of the help. A command that is not named here comes after the others of its group. */
const ORDER = {
  daily: 'init add find list show edit forget undo review dashboard status doctor',
  share: 'export import drain dlq store brain merge-driver',
  code: 'code',
  agent: 'backfill history import-memories sync-memories mcp acp hook stats pause rate ralph',
  admin:
    'redo keep replace report verify compact migrate-memory trust model embed watch timeline anvil completion tour',
}

function commandsOf(group: keyof typeof ORDER): FoundCommand[] {
  const order = ORDER[group].split(' ')
  const placeOf = ({ name }: FoundCommand) => order.indexOf(name) + 1 || Number.POSITIVE_INFINITY
  return entries.filter((entry) => entry.group === group).sort((one, other) => placeOf(one) - placeOf(other) || 0)
}

const daily = commandsOf('daily')

/** The first words of a command line, in the order of the help: the commands of every day, then the groups by their subjects. */
export const commands: (FoundCommand | CommandGroup)[] = [
  ...daily,
  {
    name: 'share',
    summary: 'export, import, and a store that several machines share',
    commands: commandsOf('share'),
  },
  ...commandsOf('code'),
  {
    name: 'agent',
    summary: 'what agents get and learn: history, backfill, pause and others',
    commands: commandsOf('agent'),
  },
  {
    name: 'admin',
    summary: 'care of the memory: keep, replace, verify, model and others',
    commands: commandsOf('admin'),
  },
]

/** The commands of every day. The others are found by their subject. */
export const isDaily = (name: string): boolean => daily.some((entry) => entry.name === name)

/** Every command, by the words that it is typed with. */
export const paths: Map<string, FoundCommand> = new Map(
  commands.flatMap((entry) =>
    isGroup(entry)
      ? entry.commands.map((each): [string, FoundCommand] => [`${entry.name} ${each.name}`, each])
      : [[entry.name, entry]],
  ),
)

/**
 * Names that commands have beside their own, and the words that these stand for. No list has them: they are for scripts that were
 * written before, and for people who leave out the name of a group.
 */
export const ALIASES: ReadonlyMap<string, string> = new Map([
  ...[...paths.keys()]
    .filter((path) => path.includes(' '))
    .map((path): [string, string] => [path.split(' ')[1] ?? '', path]),
  ['capture', 'add'],
  ['save', 'add'],
  ['remember', 'add'],
  ['recall', 'find'],
  ['search', 'find --shared'],
  ['ls', 'list'],
  ['get', 'show'],
  ['rm', 'forget'],
  ['delete', 'forget'],
  ['remove', 'forget'],
  ['conflicts', 'review --conflicts'],
  ['serve', 'dashboard --no-open'],
  ['lattice', 'code'],
  ['useful', 'agent rate useful'],
  ['wrong', 'agent rate wrong'],
  ['resume', 'agent pause --end'],
  ['today', 'status --today'],
  ['version', '--version'],
])

/** Words that people type for what has no command of that meaning, and what leads them on. */
export const LEADS: ReadonlyMap<string, string> = new Map([
  ['config', 'forge-memory status names the file of settings; docs/reference/configuration.md has all of them'],
  ['settings', 'forge-memory status names the file of settings; docs/reference/configuration.md has all of them'],
  ['log', 'did you mean list, timeline or undo --list?'],
  ['projects', 'did you mean dashboard? it shows all projects; -p DIR uses another one'],
  ['install', 'did you mean init?'],
  ['setup', 'did you mean init?'],
  ['uninstall', 'did you mean init --remove?'],
  ['update', 'did you mean edit or replace?'],
])

export function isGroup(entry: FoundCommand | CommandGroup): entry is CommandGroup {
  return 'commands' in entry
}

/** Where the name of a command is in a command line: its first word that is neither an option nor the value of one. */
function placeOfName(argv: string[]): number {
  const at = argv.findIndex(
    (word, index) => !/^-./.test(word) && !/^(--project|--as|-j*p)$/.test(argv[index - 1] ?? ''),
  )
  return at < 0 ? argv.length : at
}

/** Returns a command line with the command under its own name. `help` and the words after it become a request for help. */
export function spelledOut(argv: string[]): string[] {
  const at = placeOfName(argv)
  const [before, name = '', rest] = [argv.slice(0, at), argv[at], argv.slice(at + 1)]
  if (name !== 'help') return [...before, ...(ALIASES.get(name)?.split(' ') ?? argv.slice(at, at + 1)), ...rest]
  const asked = spelledOut(rest)
  // Help for a command that does not exist is answered like the command itself.
  return [...before, ...asked, ...(rest.length === 0 || named(asked) !== undefined ? ['--help'] : [])]
}

/** Returns the command or the group that a command line names, if any. */
export function named(argv: string[]): FoundCommand | CommandGroup | undefined {
  const words = argv.slice(placeOfName(argv))
  const first = commands.find(({ name }) => name === words[0])
  const own = first !== undefined && isGroup(first) ? first.commands.find(({ name }) => name === words[1]) : undefined
  return own ?? first
}

/** The examples of a command or a group. Those of a command with commands of its own are the first of each. */
export function examplesOf(words: string[]): string[] {
  const entry = named(words)
  if (entry === undefined) return []
  if (isGroup(entry)) return entry.commands.flatMap((each) => examplesIn(each).slice(0, 1)).slice(0, 3)
  const own = words.at(-1) === entry.name ? undefined : entry.subcommands?.[words.at(-1) ?? '']
  return own ?? examplesIn(entry)
}

function examplesIn({ examples, subcommands = {} }: FoundCommand): string[] {
  return examples ?? Object.values(subcommands).flatMap(([first = '']) => first)
}
