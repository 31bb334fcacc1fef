import type { Command } from 'commander'
import type { Answer, Respond } from '../answer.js'
import type { Program } from '../description.js'
import { takeTour } from '../tour/guide.js'

export function configure(command: Command, respond: Respond, program: Program): void {
  command.option('--dir <folder>', 'the folder to use (default: asked for on a terminal, else a temporary one)').action(
    respond(async (_, { dir }: { dir?: string }): Promise<Answer> => {
      const exitCode = await takeTour(program.run, dir)
      // The tour has printed everything itself.
      return { document: { exitCode }, text: () => '', exitCode }
    }),
  )
}
