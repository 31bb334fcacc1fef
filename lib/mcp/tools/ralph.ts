import { z } from 'zod'
import { type RalphEntry, type RalphQueryOptions, ralphClear, ralphList, ralphQuery } from '../../native.js'
import { given } from '../../shared/given.js'
import {
  clearPage,
  clearQuestion,
  EMPTY,
  listPage,
  missingPage,
  nothingSince,
  type Page,
  queryPage,
} from '../../text/lessons.js'
import { declared } from '../answer/declared.js'
import { budgetField, frameWithin, textForPrograms } from '../answer/notes.js'
import { defineTool } from '../answer/tool.js'

const entrySchema = z.looseObject({ id: z.string(), type: z.string(), lesson: z.string() })
const entriesSchema = () =>
  z.object({
    entries: z.array(entrySchema),
    shown: z.number().int(),
    total: z.number().int(),
    warnings: z.array(z.string()),
  })

const lessons = declared<RalphQueryOptions>('RalphQueryOptions')
const externalField = z.boolean().optional().describe('True: also loops that run outside of a session.')
const storeOf = (external: boolean | undefined) => (external ? ('all' as const) : undefined)

/** Truncates the texts of an entry. */
function shortened(entry: RalphEntry): z.infer<typeof entrySchema> {
  const short = Object.entries(entry).map(([name, value]) => {
    return [name, typeof value === 'string' ? textForPrograms(value).text : value]
  })
  return Object.fromEntries(short) as z.infer<typeof entrySchema>
}

/** Renders a page, its body framed as untrusted data, and counts the entries in it. */
function answerWith(
  { head, body, foot }: Page,
  entries: RalphEntry[],
  { total, warnings, budget }: { total: number; warnings: string[]; budget?: number | undefined },
) {
  if (entries.length === 0) return { text: head, structured: { entries: [], shown: 0, total: 0, warnings } }
  const { text, shown } = frameWithin(
    body.map((line) => line.trim()),
    budget,
  )
  return {
    text: `${head}${text}${foot}`,
    structured: { entries: entries.slice(0, shown).map(shortened), shown, total, warnings },
  }
}

const ralphMemoryListTool = defineTool({
  name: 'ralph_memory_list',
  title: 'List lessons of loops',
  description: `List what agent loops learned ("what has ralph learned"), newest first.
USE FOR: an overview before starting or resuming a loop.
DO NOT USE FOR: finding lessons about something (ralph_memory_query); memories of the project at large (memory_recall).`,
  input: z.strictObject({
    ...lessons.fields('loop_id', 'since'),
    external: externalField,
    limit: z.number().int().min(1).max(500).optional().describe('Maximum number of results (default: 50).'),
    budget: budgetField,
  }),
  output: entriesSchema,
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  run({ loopId, since, external, limit = 50, budget }, { projectDir }) {
    const scope = given({ loopId, store: storeOf(external), projectDir })
    const { entries, missing, warnings } = ralphList({ ...scope, ...given({ since }), days: true })
    const total = entries.length
    if (total === 0) {
      const isOlder = since !== undefined && ralphList(scope).entries.length > 0
      const head = missing ? missingPage(undefined) : isOlder ? nothingSince(since) : EMPTY
      return answerWith({ head, body: [], foot: '' }, [], { total, warnings })
    }
    const shown = entries.slice(0, limit)
    const page = listPage(shown, Number.POSITIVE_INFINITY, total)
    return answerWith(page, shown, { total, warnings, budget })
  },
})

const ralphMemoryQueryTool = defineTool({
  name: 'ralph_memory_query',
  title: 'Query lessons of loops',
  description: `Find lessons of agent loops by words in their lesson, pattern, context and tags; parts of words count as well.
USE FOR: before an iteration: has a loop met this failure before?
DO NOT USE FOR: everything of one loop (ralph_memory_list); memories of the project at large (memory_recall).`,
  input: z.strictObject({
    query: z.string().min(1).describe('The words to look for.'),
    ...lessons.fields('loop_id', 'since'),
    external: externalField,
    limit: z.number().int().min(1).max(500).optional().describe('Maximum number of results (default: 10).'),
    budget: budgetField,
  }),
  output: entriesSchema,
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  run({ query, loopId, since, external, limit, budget }, { projectDir }) {
    const options = given({ loopId, since, limit, store: storeOf(external), projectDir })
    const answer = ralphQuery(query, { ...options, days: true })
    const { entries, total, missing, warnings } = answer
    const page = missing ? { head: missingPage(undefined), body: [], foot: '' } : queryPage(answer)
    return answerWith(page, entries, { total, warnings, budget })
  },
})

const ralphMemoryClearTool = defineTool({
  name: 'ralph_memory_clear',
  title: 'Clear lessons of loops',
  description: `Delete the lessons of one loop, or all of them, for good.
USE FOR: only when the user asked for it. Without confirm it counts what would be deleted and deletes nothing: show that to the user first.
DO NOT USE FOR: forgetting a single memory (memory_forget).`,
  input: z.strictObject({
    ...lessons.fields('loop_id'),
    confirm: z.boolean().optional().describe('True to delete; otherwise it only counts.'),
  }),
  output: () =>
    z.object({ counted: z.number(), deleted: z.number(), remaining: z.number(), stores: z.array(z.string()) }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  run({ loopId, confirm = false }, { projectDir }) {
    const outcome = ralphClear(given({ loopId, projectDir, dryRun: !confirm }))
    const { counted, deleted, remaining, stores, missing } = outcome
    const none = missing ? missingPage(undefined) : EMPTY
    const text = confirm ? clearPage(outcome, loopId) : clearQuestion(outcome, 'Call again with confirm: true.')
    return { text: counted === 0 ? none : text, structured: { counted, deleted, remaining, stores } }
  },
})

export const ralphTools = [ralphMemoryListTool, ralphMemoryQueryTool, ralphMemoryClearTool]
