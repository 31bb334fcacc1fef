import type { Command } from 'commander'
import { editMemory, settleIndex } from '../../native.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { readBody } from '../body.js'
import { Failure } from '../failure.js'
import { collect, given, number } from '../options.js'
import { shortId } from '../page/identity.js'
import { failures } from '../page/tiers.js'

interface Flags {
  type?: string
  tag?: string[]
  confidence?: number
  expiresAt?: string
}

export function configure(command: Command, respond: Respond): void {
  command
    .argument('<id>', 'the id, or six or more characters of its beginning or end')
    .argument('[body...]', 'the new text; - reads it from standard input; absent keeps the old one')
    .option('--type <type>', 'the new type')
    .option('--tag <tag>', 'the new tags, all of them; may be repeated', collect)
    .option('--confidence <number>', 'confidence, 0 to 1', number)
    .option('--expires-at <instant>', 'an ISO date after which it is no longer recalled')
    .action(
      respond(async (project, id: string, words: string[], flags: Flags): Promise<Answer> => {
        const { tag, ...rest } = flags
        const body = words.length === 0 ? undefined : await readBody(words)
        const changes = given({ ...rest, body, tags: tag })
        if (Object.keys(changes).length === 0) {
          throw new Failure('INVALID_INPUT', 'expected at least one change', {
            hint: 'forge-memory edit --help shows what can change',
          })
        }
        const thought = editMemory(id, changes, project)
        return {
          document: thought,
          text: () => `Stored revision ${thought.id}, which replaces ${shortId(oneLine(thought.supersedes ?? id))}`,
          warnings: failures(thought._tiers ?? {}),
          afterwards: () => settleIndex(project),
        }
      }),
    )
}
