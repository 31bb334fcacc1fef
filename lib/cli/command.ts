// What every command is made of: how it is declared, what it answers with, and the note that ends its help.
import type { Command } from 'commander'
import type { ProjectOptions } from '../native.js'
import { printableJson } from '../text/printable.js'
import type { Page } from './page/page.js'
import type { Work } from './page/work.js'

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

/** The result of a command, which does not print anything itself: the same facts for programs and for people. */
export interface Answer {
  /** Printed with `--json`. It is the result of the library function, unchanged. */
  document: unknown
  /** Output that the engine has already rendered, printed instead of `document` or `text`. */
  bytes?(json: boolean, width: number): Uint8Array
  /** Printed without `--json`: a page that lays itself out, or sentences, which are wrapped between words. */
  text: string | ((page: Page) => string)
  /** Warnings for standard error, printed with and without `--json`. */
  warnings?: string[]
  exitCode?: number
  /** Asks a person at a terminal what to do with what was printed; not with `--no-pager`. */
  ask?(): Promise<void>
  /** Work to do after the answer is printed, so that it does not delay the answer. */
  afterwards?(): void
}

/** The answer of a command that was called off: why nothing changed. */
export const calledOff = (why: string, document: unknown = {}): Answer => ({ document, text: why, exitCode: 1 })

/** A command's function. The values that commander parsed come after the project: arguments first, then the options. */
// biome-ignore lint/suspicious/noExplicitAny: commander hands arguments and options over without types
export type Handler = (project: ProjectOptions, ...args: any[]) => Answer | Promise<Answer>

// biome-ignore lint/suspicious/noExplicitAny: as above
export type Action = (...args: any[]) => Promise<void>

/** Wraps a command's function as a commander action. */
export type Respond = (handler: Handler) => Action

/** Returns an answer that people read as programs do: indented JSON. */
export function documentAnswer(document: object, isFine = true): Answer {
  return { document, text: () => printableJson(document, 2), ...(isFine ? {} : { exitCode: 1 }) }
}

const notes = new WeakMap<Command, string>()

/** Sets the paragraph that ends the help of a command. */
export function addNote(command: Command, text: string): Command {
  notes.set(command, text)
  return command
}

export function noteOf(command: Command): string | undefined {
  return notes.get(command)
}

/** A cluster of short flags with `-j` in it; the text after `t`, `n` or `p` is their value. */
const SHORT_FLAGS = /^-[^-tnp\W]*j/

/** Searches for `--json` or `-j` without parsing, because errors of the parser must be printed as JSON too. */
export function asksForJson(argv: string[] = process.argv.slice(2)): boolean {
  const end = argv.indexOf('--')
  return (end < 0 ? argv : argv.slice(0, end)).some((word) => word === '--json' || SHORT_FLAGS.test(word))
}
