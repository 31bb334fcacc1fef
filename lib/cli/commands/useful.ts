import type { Command } from 'commander'
import type { Respond } from '../answer.js'
import { configureVerdict } from '../verdict.js'

export function configure(command: Command, respond: Respond): void {
  configureVerdict(command, respond, 'useful')
}
