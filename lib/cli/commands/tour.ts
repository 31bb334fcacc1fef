import type { Command } from 'commander'
import { type Answer, addNote, asksForJson, type CommandEntry, type Respond } from '../command.js'
import type { Program } from '../description.js'
import { Failure } from '../failure.js'
import { takeTour } from '../tour/guide.js'

export const entry: CommandEntry = {
  group: 'admin',
  summary: 'take the guided tour, in a separate folder',
  examples: ['forge-memory admin tour', 'forge-memory admin tour --dir ~/forge-tour'],
}

const NOTE = 'The tour is for people: it has no JSON, and refuses --json.'

export function configure(command: Command, respond: Respond, program: Program): void {
  addNote(command, NOTE)
  command.option('--dir <folder>', 'the folder to use (default: asked for on a terminal, else a temporary one)').action(
    respond(async (_, { dir }: { dir?: string }): Promise<Answer> => {
      if (asksForJson()) {
        throw new Failure('UNSUPPORTED', 'the tour prints no JSON', {
          hint: 'leave --json out; every command of the tour takes it by itself',
        })
      }
      const exitCode = await takeTour(program.run, dir)
      // The tour has printed everything itself.
      return { document: { exitCode }, text: () => '', exitCode }
    }),
  )
}
