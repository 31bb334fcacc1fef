import type { Command } from 'commander'
import type { Respond } from './answer.js'
import type { Program } from './description.js'
import type { Work } from './page/work.js'

/** What every file under `commands/` exports. The build reads `entry`, so that a start loads no command but the one that was typed. */
export interface CommandFile {
  /** A literal: it is copied from the text of the file. */
  entry: CommandEntry
  /** Adds the command's arguments, options and action. `program` is for commands that run or describe others. */
  configure(command: Command, respond: Respond, program: Program): void
}

/** Commands for one purpose, typed after its name. */
export interface CommandGroup {
  name: string
  summary: string
  commands: FoundCommand[]
}

export interface CommandEntry {
  /** Those of `daily` and `code` are typed without the name of their group. */
  group: 'daily' | 'share' | 'code' | 'agent' | 'admin'
  summary: string
  /** Whole lines for a shell, at least two. Ids of records are `7f3a9c21` and `5b0d4e88`. */
  examples?: string[]
  /** The examples of its own commands, by their names, in place of `examples`. */
  subcommands?: Record<string, string[]>
  /** True if it prints lists, of which long ones go through the pager on a terminal. */
  isList?: boolean
  /** True if it runs until its host ends it: nothing shows progress. */
  isServer?: true
  /** Long work: progress is shown however small the memory is, and after an interruption the part that is kept. */
  work?: Work
  /** The same of its own commands, by their names. */
  subwork?: Record<string, Work>
}

/** A command as the build has found it. */
export interface FoundCommand extends CommandEntry {
  /** The name of its file. */
  name: string
  /** Imports its file. */
  load(): Promise<Pick<CommandFile, 'configure'>>
}
