import type { Command } from 'commander'
import { keepMemory, settleIndex } from '../../native.js'
import { shortId } from '../../shared/identity.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { stateBefore } from '../undo/before.js'
import { type Change, noteCommand } from '../undo/log.js'

export function configure(command: Command, respond: Respond): void {
  command.argument('<id>', 'the id, or six or more characters of its beginning or end').action(
    respond((project, id: string): Answer => {
      const state = stateBefore(id, project)
      const outcome = keepMemory(id, project)
      return {
        document: outcome,
        text: () =>
          outcome.kept
            ? `Kept ${shortId(oneLine(outcome.id))}: searches return it again.`
            : `${shortId(oneLine(outcome.id))} is current already: nothing was changed.`,
        afterwards: () => {
          if (outcome.kept) noteCommand(project, 'keep', [changeOf(outcome.id, state)])
          settleIndex(project)
        },
      }
    }),
  )
}

/** What `undo` takes back: a revision that came back is replaced again, and a retired memory is retired again. */
function changeOf(id: string, { before, retiredBy }: ReturnType<typeof stateBefore>): Change {
  if (id !== before.id || retiredBy === undefined) return { kind: 'edited', before, after: id }
  return { kind: 'kept', id, by: retiredBy }
}
