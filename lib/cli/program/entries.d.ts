import type { FoundCommand } from '../command.js'

/** The commands in the files of `commands/`, in the order of their names: the build writes this module (`rolldown.config.mjs`). */
export declare const entries: FoundCommand[]
