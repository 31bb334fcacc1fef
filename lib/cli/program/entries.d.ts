import type { Command } from 'commander'
import type { CommandEntry, Respond } from '../command.js'
import type { Program } from '../description.js'

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

/** A command as the build has found it. */
export interface FoundCommand extends CommandEntry {
  /** The name of its file. */
  name: string
  /** Imports its file. */
  load(): Promise<Pick<CommandFile, 'configure'>>
}

/** The commands in the files of `commands/`, in the order of their names: the build writes this module (`rolldown.config.mjs`). */
export declare const entries: FoundCommand[]
