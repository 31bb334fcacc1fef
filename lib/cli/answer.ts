import type { ProjectOptions } from '../native.js'
import type { Page } from './page/page.js'

/** What a command hands back instead of printing: the same facts for programs and for people. */
export interface Answer {
  /** Printed with `--json`. It is what the library function returned, unchanged. */
  document: unknown
  /** Printed in place of both, where it is there: an answer that the engine has written out in full. */
  bytes?(json: boolean, width: number): Uint8Array
  /** Printed without `--json`. */
  text(page: Page): string
  /** Lines for standard error: true for programs and people alike. */
  warnings?: string[]
  exitCode?: number
  /** Work for after the answer is printed, so that it delays nothing. */
  afterwards?(): void
}

/** A command's function. What commander parsed comes after the project: arguments first, then the options. */
// biome-ignore lint/suspicious/noExplicitAny: commander hands arguments and options over without types
export type Handler = (project: ProjectOptions, ...args: any[]) => Answer | Promise<Answer>

// biome-ignore lint/suspicious/noExplicitAny: as above
export type Action = (...args: any[]) => Promise<void>

/** Turns a command's function into a commander action. */
export type Respond = (handler: Handler) => Action
