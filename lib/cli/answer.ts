import type { ProjectOptions } from '../native.js'
import type { Page } from './page/page.js'

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
