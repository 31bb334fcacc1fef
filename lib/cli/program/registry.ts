// The one list of commands: their names, their groups and their examples. Help, the reference, man pages and shell completion
// read it.

import { admin } from './groups/admin.js'
import { agent } from './groups/agent.js'
import { code } from './groups/code.js'
import { daily } from './groups/daily.js'
import type { CommandEntry, CommandGroup } from './groups/entry.js'
import { share } from './groups/share.js'

/** The first words of a command line, in the order of the help: the commands of every day, then the groups by their subjects. */
export const commands: (CommandEntry | CommandGroup)[] = [
  ...daily,
  { name: 'share', summary: 'export, import, and the shared store: drain, dlq, store, brain', commands: share },
  ...code,
  { name: 'agent', summary: 'what agents get and learn: history, backfill, pause and others', commands: agent },
  { name: 'admin', summary: 'care of the memory: keep, replace, verify, model and others', commands: admin },
]

/** The commands of every day. The others are found by their subject. */
export const isDaily = (name: string): boolean => daily.some((entry) => entry.name === name)

/** Every command, by the words that it is typed with. */
export const paths: Map<string, CommandEntry> = new Map(
  commands.flatMap((entry) =>
    isGroup(entry)
      ? entry.commands.map((each): [string, CommandEntry] => [`${entry.name} ${each.name}`, each])
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
  ['recall', 'find'],
  ['search', 'find --shared'],
  ['ls', 'list'],
  ['rm', 'forget'],
  ['conflicts', 'review --conflicts'],
  ['serve', 'dashboard --no-open'],
  ['lattice', 'code'],
  ['useful', 'agent rate useful'],
  ['wrong', 'agent rate wrong'],
  ['resume', 'agent pause --end'],
  ['today', 'status --today'],
  ['version', '--version'],
])

export function isGroup(entry: CommandEntry | CommandGroup): entry is CommandGroup {
  return 'commands' in entry
}

/** Where the name of a command is in a command line: its first word that is neither an option nor the value of one. */
function placeOfName(argv: string[]): number {
  const at = argv.findIndex((word, index) => !/^-./.test(word) && !/^(--project|-j*p)$/.test(argv[index - 1] ?? ''))
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
export function named(argv: string[]): CommandEntry | CommandGroup | undefined {
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

function examplesIn({ examples, subcommands = {} }: CommandEntry): string[] {
  return examples ?? Object.values(subcommands).flatMap(([first = '']) => first)
}
