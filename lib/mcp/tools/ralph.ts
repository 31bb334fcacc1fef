import { z } from 'zod'
import { type RalphEntry, ralphClear, ralphList, ralphQuery } from '../../native.js'
import { given } from '../../shared/given.js'
import { budgetField, frameWithin, textForPrograms } from '../answer/notes.js'
import { defineTool } from '../answer/tool.js'

const entrySchema = z.looseObject({ id: z.string(), type: z.string(), lesson: z.string() })
const entriesSchema = z.object({
  entries: z.array(entrySchema),
  shown: z.number().int(),
  total: z.number().int(),
  warnings: z.array(z.string()),
})

const loopField = z.string().optional().describe('Only lessons of this loop, by its exact id.')
const sinceField = z.string().optional().describe('Only newer: an ISO date, or an age such as 12h, 7d, 2w.')

function lineOf({ id, type, lesson, confidence, loopId, iteration, createdAt, context }: RalphEntry): string {
  const where = [
    loopId === undefined ? '' : `loop ${loopId}`,
    iteration === undefined ? '' : `iteration ${iteration}`,
    createdAt?.slice(0, 10) ?? '',
    context ?? '',
  ].filter((part) => part !== '')
  return `[${type}] ${confidence} \u2014 ${lesson} (${[...where, id].join(', ')})`
}

/** Truncates the texts of an entry. */
function shortened(entry: RalphEntry): z.infer<typeof entrySchema> {
  const short = Object.entries(entry).map(([name, value]) => {
    return [name, typeof value === 'string' ? textForPrograms(value).text : value]
  })
  return Object.fromEntries(short) as z.infer<typeof entrySchema>
}

function answerWith(
  entries: RalphEntry[],
  total: number,
  warnings: string[],
  budget: number | undefined,
  none: string,
) {
  if (entries.length === 0) return { text: none, structured: { entries: [], shown: 0, total: 0, warnings } }
  const { text, shown } = frameWithin(entries.map(lineOf), budget)
  return {
    text,
    structured: { entries: entries.slice(0, shown).map(shortened), shown, total, warnings },
  }
}

export const ralphMemoryListTool = defineTool({
  name: 'ralph_memory_list',
  title: 'List lessons of loops',
  description: `List what agent loops learned ("what has ralph learned"), newest first.
USE FOR: an overview before starting or resuming a loop.
DO NOT USE FOR: finding lessons about something (ralph_memory_query); memories of the project at large (memory_recall).`,
  input: z.strictObject({
    loop_id: loopField,
    since: sinceField,
    limit: z.number().int().min(1).max(500).optional().describe('Maximum number of results (default: 50).'),
    budget: budgetField,
  }),
  output: entriesSchema,
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  run({ loop_id: loopId, since, limit = 50, budget }, { projectDir }) {
    const { entries, warnings } = ralphList(given({ loopId, since, projectDir }))
    return answerWith(entries.slice(0, limit), entries.length, warnings, budget, 'No memory entries found.')
  },
})

export const ralphMemoryQueryTool = defineTool({
  name: 'ralph_memory_query',
  title: 'Query lessons of loops',
  description: `Find lessons of agent loops by words in their lesson, pattern, context and tags; parts of words count as well.
USE FOR: before an iteration: has a loop met this failure before?
DO NOT USE FOR: everything of one loop (ralph_memory_list); memories of the project at large (memory_recall).`,
  input: z.strictObject({
    query: z.string().min(1).describe('The words to look for.'),
    loop_id: loopField,
    since: sinceField,
    limit: z.number().int().min(1).max(500).optional().describe('Maximum number of results (default: 10).'),
    budget: budgetField,
  }),
  output: entriesSchema,
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  run({ query, loop_id: loopId, since, limit, budget }, { projectDir }) {
    const { entries, total, warnings } = ralphQuery(query, given({ loopId, since, limit, projectDir }))
    return answerWith(entries, total, warnings, budget, `No memory entries match "${query}".`)
  },
})

export const ralphMemoryClearTool = defineTool({
  name: 'ralph_memory_clear',
  title: 'Clear lessons of loops',
  description: `Delete the lessons of one loop, or all of them, for good.
USE FOR: only when the user asked for it. Without confirm it counts what would be deleted and deletes nothing: show that to the user first.
DO NOT USE FOR: forgetting a single memory (memory_forget).`,
  input: z.strictObject({
    loop_id: loopField,
    confirm: z.boolean().optional().describe('True to delete; otherwise it only counts.'),
  }),
  output: z.object({ counted: z.number(), deleted: z.number(), remaining: z.number(), stores: z.array(z.string()) }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  run({ loop_id: loopId, confirm = false }, { projectDir }) {
    const outcome = ralphClear(given({ loopId, projectDir, dryRun: !confirm }))
    const { counted, deleted, remaining, stores, loops } = outcome
    const byLoop = loops.map(({ loopId: name, entries }) => `  ${name === '' ? '(no loop)' : name}: ${entries}`)
    const text = confirm
      ? `Deleted ${deleted} entries; ${remaining} remain.`
      : [`This would delete ${counted} entries; call again with confirm: true.`, ...byLoop].join('\n')
    return { text, structured: { counted, deleted, remaining, stores } }
  },
})
