import type { Command } from 'commander'
import { keepMemory, settleIndex } from '../../native.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { shortId } from '../page/identity.js'

export function configure(command: Command, respond: Respond): void {
  command.argument('<id>', 'the id, or six or more characters of its beginning or end').action(
    respond((project, id: string): Answer => {
      const outcome = keepMemory(id, project)
      return {
        document: outcome,
        text: () =>
          outcome.kept
            ? `Kept ${shortId(oneLine(outcome.id))}: answers contain it again.`
            : `${shortId(oneLine(outcome.id))} is current already: nothing was changed.`,
        afterwards: () => settleIndex(project),
      }
    }),
  )
}
