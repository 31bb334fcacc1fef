import type { Command } from 'commander'
import { type EmbeddingPass, embedMemories, type ProjectOptions } from '../../native.js'
import type { SharedEmbedding } from '../../outbox/embed-store.js'
import { hasCode } from '../../shared/problem.js'
import { counted, oneLine } from '../../text/printable.js'
import type { Answer, CommandEntry, Respond } from '../command.js'
import { Failure } from '../failure.js'
import { given, number } from '../options.js'
import { reportWork } from '../page/work.js'

export const entry: CommandEntry = {
  group: 'admin',
  summary: 'compute the vectors for search by meaning',
  examples: ['forge-memory admin embed', 'forge-memory admin embed -n 1000'],
  work: {
    verb: 'embedding',
    unit: 'texts',
    kept: 'the vectors computed so far are kept; forge-memory embed continues from there',
  },
}

/** The batch size: an interrupted command loses at most the work on one batch, a few seconds. */
const PASSAGES_A_PASS = 128

export function configure(command: Command, respond: Respond): void {
  command.option('-n, --limit <count>', 'maximum number of passages (default: all without a vector)', number).action(
    respond(async (project, { limit }: { limit?: number }): Promise<Answer> => {
      if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1)) {
        throw new Failure('INVALID_INPUT', '--limit: expected a whole number of at least 1')
      }
      const { made, last } = await embedOwn(project, limit)
      // A limit is for a first look at this project.
      const shared = limit === undefined ? await embedShared(project) : undefined
      const { done = 0, refused = 0, total = 0 } = shared?.vectors ?? {}
      const isComplete = last.covered >= last.total && done + refused >= total
      return {
        document: { made, covered: last.covered, total: last.total, busy: last.busy, ...given({ shared }) },
        text: [summary(made, last), ...(shared === undefined ? [] : [sharedSummary(shared)])].join('\n'),
        exitCode: isComplete || limit !== undefined ? 0 : 1,
      }
    }),
  )
}

/** Without a local model, a served embedder still computes the vectors of the shared store. */
async function embedOwn(project: ProjectOptions, limit?: number) {
  try {
    return await embedAll(project, limit)
  } catch (error) {
    const { usesServedEmbedder } = await import('../../outbox/embed-store.js')
    if (limit !== undefined || !hasCode(error, 'MODEL_MISSING', 'UNSUPPORTED') || !usesServedEmbedder(project))
      throw error
    return { made: 0, last: { made: 0, covered: 0, total: 0, busy: false } }
  }
}

/** Computes vectors batch by batch. Each batch is stored, so an interrupted command resumes where it was. */
async function embedAll(project: ProjectOptions, limit = Number.POSITIVE_INFINITY) {
  let made = 0
  let left = limit
  for (;;) {
    const last = await embedMemories({ ...project, limit: Math.min(left, PASSAGES_A_PASS) })
    made += last.made
    left -= PASSAGES_A_PASS
    reportWork({ done: made, total: Math.min(made + last.total - last.covered, limit) })
    if (last.made === 0 || left <= 0 || last.covered >= last.total) return { made, last }
  }
}

/** Computes the missing vectors of the shared store. It resumes where an interrupted command was. */
async function embedShared(project: ProjectOptions): Promise<SharedEmbedding> {
  const { embedStore } = await import('../../outbox/embed-store.js')
  return embedStore(project, reportWork, (indexing) => reportWork({ ...indexing, verb: 'indexing', unit: 'vectors' }))
}

function sharedSummary({ made, place, vectors, problem }: SharedEmbedding): string {
  if (problem !== undefined) return `Nothing was computed for the shared memory: ${oneLine(problem)}`
  if (vectors === null) return 'The shared memory is searched by words, or computes its own vectors.'
  const { done, total } = vectors
  return `${counted(made, 'thought')} of ${oneLine(place)} embedded; ${done} of ${counted(total, 'thought')} can be found by meaning.`
}

function summary(made: number, { covered, total, busy }: EmbeddingPass): string {
  const done = `${counted(made, 'text')} embedded; ${covered} of ${counted(total, 'text')} can be found by meaning.`
  return busy ? `${done} Another process is computing vectors too.` : done
}
