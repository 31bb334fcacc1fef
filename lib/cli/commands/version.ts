import type { Command } from 'commander'
import type { Respond } from '../answer.js'

/** Defined by the bundler from package.json. */
declare const FORGE_MEMORY_VERSION: string

export function configure(command: Command, respond: Respond): void {
  const version = FORGE_MEMORY_VERSION
  command.action(respond(() => ({ document: { version }, text: () => version })))
}
