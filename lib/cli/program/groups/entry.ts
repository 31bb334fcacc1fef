import type { Command } from 'commander'
import type { Respond } from '../../answer.js'
import type { Program } from '../../description.js'
import type { Work } from '../../page/work.js'

/** The exports of every file under `commands/`. */
export interface CommandFile {
  /** Adds the command's arguments, options and action. `program` is for commands that run or describe others. */
  configure(command: Command, respond: Respond, program: Program): void
}

/** Commands for one purpose, typed after its name. */
export interface CommandGroup {
  name: string
  summary: string
  commands: CommandEntry[]
}

export interface CommandEntry {
  name: string
  summary: string
  /** Whole lines for a shell, at least two. Ids of records are `7f3a9c21` and `5b0d4e88`. */
  examples?: string[]
  /** The examples of its own commands, by their names, in place of `examples`. */
  subcommands?: Record<string, string[]>
  /** True if it prints lists, of which long ones go through the pager on a terminal. */
  isList?: boolean
  /** Imports the command's file. Only the typed command is imported, to keep the start-up time low. */
  load(): Promise<CommandFile>
  /** Long work: progress is shown however small the memory is, and after an interruption the part that is kept. */
  work?: Work
  /** The same of its own commands, by their names. */
  subwork?: Record<string, Work>
}
