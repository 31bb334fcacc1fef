import { z } from 'zod'
import { type ShownRecord, sharedRecords, shownRecord } from '../../api/shared-memory.js'
import { ageOf } from '../../shared/age.js'
import { cameFrom, claimOf } from '../../shared/came-from.js'
import { factsOf } from '../../shared/declared.js'
import { given } from '../../shared/given.js'
import { shortId } from '../../shared/identity.js'
import { messageOf, problem } from '../../shared/problem.js'
import { voiceOf } from '../../text/voice.js'
import { declared, factFields } from '../answer/declared.js'
import { budgetField, frameWithin, textForPrograms } from '../answer/notes.js'
import { defineTool } from '../answer/tool.js'

type Shown = ShownRecord

export const memoryShowTool = defineTool({
  name: 'memory_show',
  title: 'Show the full text of memories',
  description: `Show the whole text of notes, by the ids that recall and notes give.
USE FOR: the lines of memory_recall that matter, several ids in one call.
DO NOT USE FOR: searching (memory_recall).`,
  input: z.strictObject({
    ...declared<{ ids: string[] }>('RecordNames').fields('ids'),
    budget: budgetField,
  }),
  output: () =>
    z.object({
      notes: z.array(
        z.object({
          id: z.string(),
          type: z.string(),
          text: z.string(),
          truncated: z.boolean(),
          state: z.string(),
          createdAt: z.string(),
          author: z.string().optional().describe('Of what a colleague stored: who.'),
          from: z.string().optional(),
          about: z.string().optional(),
          claimedBy: z.string().optional(),
          vouched: z.boolean().optional(),
          why: z.string().optional().describe('Why it is not current.'),
          contradictedBy: z.array(z.string()).optional(),
          ...factFields(),
        }),
      ),
      shown: z.number().int(),
      missing: z.array(z.object({ id: z.string(), why: z.string() })),
    }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
  async run({ ids, budget }, { projectDir }) {
    const shared = await sharedRecords([...new Set(ids)], given({ projectDir }), 'show')
    const found: Shown[] = []
    const missing: { id: string; why: string }[] = []
    for (const id of new Set(ids)) {
      try {
        found.push(shownRecord(id, given({ projectDir }), shared))
      } catch (error) {
        missing.push({ id, why: messageOf(error) })
      }
    }
    if (found.length === 0) {
      throw problem(
        'NOT_FOUND',
        missing.map(({ why }) => why).join('; '),
        'memory_recall gives the ids of what it finds',
      )
    }
    const framed = frameWithin(found.map(lineOf), budget)
    const problems = missing.map(({ id, why }) => `${id.slice(0, 64)}: ${why}`).join('\n')
    const notes = found.slice(0, framed.shown).map((shown) => {
      const { entry, state, shared, retired } = shown
      const { id, type, text, createdAt } = entry
      const { from, about, claimedBy, vouched } = entry
      const origin = given({ author: shared?.createdBy, from, about, claimedBy, vouched })
      const others = { ...origin, ...given({ why: retired?.why }), ...factsOf(entry) }
      const contradictedBy = rivalsOf(shown)
      return { id, type, ...textForPrograms(text), state, createdAt, ...others, ...given({ contradictedBy }) }
    })
    return {
      text: problems === '' ? framed.text : `${framed.text}${problems}\n`,
      structured: { notes, shown: framed.shown, missing },
    }
  },
})

/** The ids of the records that contradict it, here or in the shared store. */
function rivalsOf({ entry, shared }: Shown): string[] | undefined {
  return entry.contradictedBy?.map(({ id }) => id) ?? shared?.contradictedBy
}

function lineOf(shown: Shown): string {
  const { entry, state, shared, retired, ended } = shown
  const { id, type, text, createdAt } = entry
  const facts = [
    ...(shared === undefined ? [] : [shared.createdBy]),
    ageOf(createdAt),
    shortId(id),
    ...cameFrom(entry),
    ...claimOf(entry),
    ...(entry.vouched ? ['a person vouched for it'] : []),
    ...(state === 'current' ? [] : [state]),
    ...(retired === undefined ? [] : [`by ${voiceOf(retired)}: ${retired.why || retired.rule}`]),
    ...(ended === undefined ? [] : [`by ${voiceOf(ended)}`]),
    ...(rivalsOf(shown) ?? []).map((rival) => `contradicted by ${shortId(rival)}`),
    ...Object.entries(factsOf(entry)).map(([name, fact]) => `${name} ${fact}`),
  ]
  return `[${type}] ${text} (${facts.join(', ')})`
}
