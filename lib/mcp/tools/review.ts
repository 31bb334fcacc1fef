import { z } from 'zod'
import { sharedRecords } from '../../api/shared-memory.js'
import { listReview, type RateOutcome, rateMemory, type WaitingMemory } from '../../native.js'
import { ageOf } from '../../shared/age.js'
import { given } from '../../shared/given.js'
import { AGENT_OF_SERVER } from '../../shared/speaker.js'
import { declared, recordName } from '../answer/declared.js'
import { defineTool } from '../answer/tool.js'

/** The maximum number of records shown; the rest is only counted. */
const SHOWN_MAX = 100

const memoryReviewTool = defineTool({
  name: 'memory_review',
  title: 'List what waits for a review',
  description: `List the records that wait for a person: what agents proposed or asked for, and what sessions have found wrong. Their texts are shown to people only, and only people accept or reject (forge-memory review, or the dashboard).
USE FOR: telling the user that something waits.
DO NOT USE FOR: finding what is known (memory_recall).`,
  input: z.strictObject({}),
  output: () =>
    z.object({
      waiting: z.array(
        z.object(declared<WaitingMemory>('WaitingMemory').bare('id', 'type', 'scope', 'why', 'createdAt')),
      ),
      total: z.number().int(),
    }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  run(_, { projectDir }) {
    const found = listReview(given({ projectDir }))
    const waiting = found.slice(0, SHOWN_MAX).map(({ id, scope, why, createdAt, type }) => {
      // The type is untrusted text of an agent.
      const kind = /^[a-z][a-z_-]{0,30}$/.test(type) ? type : 'other'
      return { id, type: kind, scope, why: why, createdAt }
    })
    const lines = waiting.map(({ id, type, why, createdAt }) => `${why}: ${type}, ${ageOf(createdAt)}, ${id}`)
    const rest = found.length > waiting.length ? [`${found.length - waiting.length} more wait.`] : []
    const text = found.length === 0 ? 'Nothing waits for a review.' : [...lines, ...rest].join('\n')
    return { text, structured: { waiting, total: found.length } }
  },
})

const rated = declared<RateOutcome>('RateOutcome')

const memoryFeedbackTool = defineTool({
  name: 'memory_feedback',
  title: 'Report whether a memory was right',
  description: `Report that a recalled record was useful, that it is wrong, or that it is right and does not belong to the file or command with which hooks gave it. Useful records rank a little higher, wrong ones lower; when two sessions find one wrong, a person is asked to review it.
USE FOR: a note that you relied on, once you know whether it was right.
DO NOT USE FOR: removing a record (memory_forget), correcting one (capture_thought with supersedes).
Returns: how many sessions have reported it. Each session counts once.`,
  input: z.strictObject({
    id: recordName(),
    verdict: z
      .enum(['useful', 'wrong', 'elsewhere'])
      .describe('useful: it helped. wrong: it is not true, or no longer true. elsewhere: it does not belong to `at`.'),
    at: z
      .string()
      .min(1)
      .optional()
      .describe('With elsewhere: the path or command, at which hooks leave it out from now on.'),
  }),
  output: () =>
    z.object({
      ...rated.fields('id', 'counted', 'inReview'),
      useful: z.number().int(),
      wrong: z.number().int(),
    }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async run({ id, verdict, at }, { projectDir }) {
    const shared = await sharedRecords([id], given({ projectDir }))
    const outcome = shared.during(() => rateMemory(id, verdict, { ...given({ projectDir, at }), ...AGENT_OF_SERVER }))
    const { useful, wrong } = outcome.verdicts
    const verb = outcome.counted ? 'Counted' : 'Already counted'
    const review = outcome.inReview ? ' A person is asked to review it.' : ''
    const text =
      verdict === 'elsewhere'
        ? elsewhereText(outcome)
        : `${verb}: ${outcome.id} was useful to ${useful}, and wrong for ${wrong}.${review}`
    return { text, structured: { id: outcome.id, counted: outcome.counted, useful, wrong, inReview: outcome.inReview } }
  },
})

function elsewhereText({ id, counted }: { id: string; counted: boolean }): string {
  if (counted) return `Noted: hooks leave ${id} out there, and still give it elsewhere.`
  return `Nothing changed: it was said before, or a person decides where ${id} is told.`
}

export const reviewTools = [memoryReviewTool, memoryFeedbackTool]
