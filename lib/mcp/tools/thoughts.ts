import { z } from 'zod'
import { buildMemoryReport, listMemories, type RecallOptions } from '../../native.js'
import { given } from '../../shared/given.js'
import { requireTypes } from '../../shared/known-types.js'
import { noteLine } from '../../shared/note-line.js'
import { countsText } from '../../text/record-counts.js'
import { declared } from '../answer/declared.js'
import { answerWith, budgetField, notesSchema } from '../answer/notes.js'
import { defineTool } from '../answer/tool.js'

const listThoughtsTool = defineTool({
  name: 'list_thoughts',
  title: 'List thoughts',
  description: `List what is stored, newest first, without searching.
USE FOR: seeing what was captured lately, or everything of one type.
DO NOT USE FOR: finding something particular (memory_recall or search_thoughts).
Expired, superseded and forgotten records are left out.`,
  input: z.strictObject({
    type: z.string().optional().describe('Only this type.'),
    tag: z.string().optional().describe('Only with this tag.'),
    ...declared<RecallOptions>('RecallOptions').fields('since', 'scope'),
    limit: z.number().int().min(1).max(200).optional().describe('Maximum number of results (default: 20).'),
    budget: budgetField,
  }),
  output: notesSchema,
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  run({ type, tag, since, scope, limit = 20, budget }, { projectDir }) {
    const types = type === undefined ? undefined : [type]
    const tags = tag === undefined ? undefined : [tag]
    const { entries, total } = listMemories(given({ types, tags, since, scope, limit, projectDir }))
    requireTypes(types, entries, { projectDir })
    const message =
      total > entries.length ? `${entries.length} of ${total} are shown; raise limit for more.` : undefined
    return answerWith(entries, entries.map(noteLine), { budget, message, total })
  },
})

const countsSchema = z.record(z.string(), z.number())

const thoughtStatsTool = defineTool({
  name: 'thought_stats',
  title: 'Count thoughts',
  description: `How much is stored: memories, retired and expired records, captures by type and tool, how many were duplicates, and what waits for the shared store.
USE FOR: an overview of the memory, or to see whether captures arrive.
DO NOT USE FOR: reading what is stored (list_thoughts), sizes of files (forge_memory_report).`,
  input: z.strictObject({}),
  output: () =>
    z.object({
      stored: countsSchema,
      total: z.number(),
      deduped: z.number(),
      byType: countsSchema,
      byTool: countsSchema,
      queued: z.number(),
      deadLetters: z.number(),
    }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  run(_input, { projectDir }) {
    const { telemetry, queue, counts: stored } = buildMemoryReport(given({ projectDir }))
    const { total, deduped, byType, byTool } = telemetry
    const counts = (sums: Record<string, number>) =>
      Object.entries(sums)
        .sort(([, a], [, b]) => b - a)
        .map(([name, count]) => `${name} ${count}`)
        .join(', ') || 'none'
    const text = [
      `There are ${countsText(stored)}.`,
      `${total} captured, ${deduped} of them duplicates.`,
      `By type: ${counts(byType)}.`,
      `By tool: ${counts(byTool)}.`,
      `For the shared store: ${queue.pending + queue.deferred} waiting, ${queue.dlq} dead letters.`,
    ].join('\n')
    const structured = {
      stored: { ...stored },
      total,
      deduped,
      byType,
      byTool,
      queued: queue.pending + queue.deferred,
      deadLetters: queue.dlq,
    }
    return { text, structured }
  },
})

export const thoughtTools = [listThoughtsTool, thoughtStatsTool]
