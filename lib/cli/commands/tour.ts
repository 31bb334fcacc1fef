import type { Command } from 'commander'
import type { Answer, Respond } from '../answer.js'
import { type Run, takeTour } from '../tour/guide.js'

export function configure(command: Command, respond: Respond, run: Run): void {
  command.option('--dir <folder>', 'the folder to use (default: asked for on a terminal, else a temporary one)').action(
    respond(async (_, { dir }: { dir?: string }): Promise<Answer> => {
      const exitCode = await takeTour(run, dir)
      // What there was to say is said.
      return { document: { exitCode }, text: () => '', exitCode }
    }),
  )
}
