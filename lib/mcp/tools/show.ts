import { z } from 'zod'
import { showMemory } from '../../native.js'
import { ageOf } from '../../shared/age.js'
import { given } from '../../shared/given.js'
import { shortId } from '../../shared/identity.js'
import { messageOf, problem } from '../../shared/problem.js'
import { budgetField, frameWithin, textForPrograms } from '../answer/notes.js'
import { defineTool } from '../answer/tool.js'

const IDS_MAX = 20

type Shown = ReturnType<typeof showMemory>

export const memoryShowTool = defineTool({
  name: 'memory_show',
  title: 'Show the full text of memories',
  description: `Show the whole text of notes, by the ids that recall and notes give.
USE FOR: the lines of memory_recall that matter, several ids in one call.
DO NOT USE FOR: searching (memory_recall).`,
  input: z.strictObject({
    ids: z.array(z.string().min(1)).min(1).max(IDS_MAX).describe('Ids, whole or their 8 characters.'),
    budget: budgetField,
  }),
  output: z.object({
    notes: z.array(
      z.object({
        id: z.string(),
        type: z.string(),
        text: z.string(),
        truncated: z.boolean(),
        state: z.string(),
        createdAt: z.string(),
      }),
    ),
    shown: z.number().int(),
    missing: z.array(z.object({ id: z.string(), why: z.string() })),
  }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  run({ ids, budget }, { projectDir }) {
    const found: Shown[] = []
    const missing: { id: string; why: string }[] = []
    for (const id of new Set(ids)) {
      try {
        found.push(showMemory(id, given({ projectDir })))
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
    const notes = found.slice(0, framed.shown).map(({ entry: { id, type, text, createdAt }, state }) => {
      return { id, type, ...textForPrograms(text), state, createdAt }
    })
    return {
      text: problems === '' ? framed.text : `${framed.text}${problems}\n`,
      structured: { notes, shown: framed.shown, missing },
    }
  },
})

function lineOf({ entry: { id, type, text, createdAt }, state }: Shown): string {
  const stateMark = state === 'current' ? '' : `, ${state}`
  return `[${type}] ${text} (${ageOf(createdAt)}, ${shortId(id)}${stateMark})`
}
