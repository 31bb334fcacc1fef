import type { Command } from 'commander'
import { forget, settleIndex } from '../../native.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { Failure } from '../failure.js'

const HINT = 'forge-memory list shows the stored records with their ids; the last six characters of an id are enough'

export function configure(command: Command, respond: Respond): void {
  command.argument('<id>', 'the id, or six or more characters of its beginning or end').action(
    respond((project, id: string): Answer => {
      const outcome = forget(id, project)
      if (!outcome.removed) throw new Failure('NOT_FOUND', `no memory has the id ${JSON.stringify(id)}`, { hint: HINT })
      return {
        document: outcome,
        text: () => `Forgot ${oneLine(id)}: no later answer will contain it.`,
        afterwards: () => settleIndex(project),
      }
    }),
  )
}
