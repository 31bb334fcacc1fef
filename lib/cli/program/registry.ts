// The one list of commands: what they are called, in which group of the help they stand, and their examples. Help, the
// reference, man pages and shell completion read it.

import { agents } from './groups/agents.js'
import { code } from './groups/code.js'
import { type CommandEntry, GROUPS, type Group } from './groups/entry.js'
import { find } from './groups/find.js'
import { share } from './groups/share.js'
import { truth } from './groups/truth.js'
import { upkeep } from './groups/upkeep.js'

const grouped: Record<Group, CommandEntry[]> = { find, truth, share, agents, code, upkeep }

/** All commands in the order of the help. */
export const commands: CommandEntry[] = Object.values(grouped).flat()

/** Finds a command by its name or by one of its aliases. */
export function commandNamed(name: string | undefined): CommandEntry | undefined {
  if (name === undefined) return undefined
  return commands.find((entry) => entry.name === name || entry.aliases?.includes(name))
}

/** The heading under which the help lists a command. */
export function headingOf(entry: CommandEntry): string {
  const group = (Object.keys(grouped) as Group[]).find((name) => grouped[name].includes(entry)) ?? 'upkeep'
  return GROUPS[group]
}

/** The examples of a command, or of one of its own commands. Those of a group are the first of each command in it. */
export function examplesOf(name: string, own?: string): string[] {
  const entry = commandNamed(name)
  if (own !== undefined) return entry?.subcommands?.[own] ?? []
  return entry?.examples ?? Object.values(entry?.subcommands ?? {}).flatMap(([first = '']) => first)
}
