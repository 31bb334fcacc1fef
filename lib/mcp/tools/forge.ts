import { z } from 'zod'
import { buildMemoryReport, type SyncedMemories, type SyncMemoriesOptions, syncMemories } from '../../native.js'
import { given } from '../../shared/given.js'
import { counted } from '../../text/printable.js'
import { countsText } from '../../text/record-counts.js'
import { declared, saidFields } from '../answer/declared.js'
import { budgetField, fitText, frameWithin } from '../answer/notes.js'
import { defineTool } from '../answer/tool.js'
import { capture, captureFields, captureSchema } from './capture.js'

const forgeMemoryCaptureTool = defineTool({
  name: 'forge_memory_capture',
  title: 'Capture for forge tooling',
  description: `Capture what a forge tool learned, in all three tiers: the live hub, the project's files, the queue to the shared store.
USE FOR: forge tools and plan runs, which name themselves as the tool; a capture that must be attributed to a subsystem.
DO NOT USE FOR: thoughts of the conversation (capture_thought); compact patterns (memory_save).
A source that is not <tool> or <tool>/<subsystem> is stored as "agent"; the capture goes on.`,
  input: z.strictObject({
    content: captureFields.field('content'),
    type: captureFields.field('type').default('decision'),
    tool: captureFields.field('tool').default('forge_memory_capture'),
    ...captureFields.fields('source', 'project', 'tags', 'confidence', 'created_by', 'expires_at', 'supersedes'),
    ...captureFields.fields('source_file', 'byte_range', 'code_hash', 'tool_version'),
    ...saidFields(),
  }),
  output: captureSchema,
  // Not idempotent: a repeated capture adds no second record, but it is counted as a confirmation.
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  run({ content, said: quote, ...rest }, { projectDir }) {
    return capture({ ...rest, body: content, quote }, projectDir)
  },
})

const forgeMemoryReportTool = defineTool({
  name: 'forge_memory_report',
  title: 'Report on the memory',
  description: `The inventory of this project's memory: memories, files with sizes and lines, lines that cannot be read, the queue to the shared store, the drain trend, telemetry, files that belong to no known tool.
USE FOR: checking the health of the memory, or answering "how much has been learned".
DO NOT USE FOR: reading memories (memory_recall, list_thoughts).`,
  input: z.strictObject({ budget: budgetField }),
  output: () => z.looseObject({ projectDir: z.string(), files: z.array(z.looseObject({ name: z.string() })) }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  run({ budget }, { projectDir }) {
    const report = buildMemoryReport(given({ projectDir }))
    const { files, queue, telemetry, drainTrend, orphans } = report
    const lines = [
      `Memory of ${report.projectDir}: ${countsText(report.counts)}.`,
      ...files.map(
        ({ name, records, size, unparsable }) =>
          `  ${name}: ${counted(records, 'line')}, ${counted(size, 'byte')}${unparsable > 0 ? `, ${counted(unparsable, 'line')} that cannot be read` : ''}`,
      ),
      `Captures: ${telemetry.total}, ${counted(telemetry.deduped, 'duplicate')}.`,
      `Queue: ${queue.pending} waiting, ${counted(queue.dlq, 'dead letter')}.`,
      `Drain trend, last ${counted(drainTrend.passes, 'pass', 'passes')}: ${drainTrend.totalDelivered} passed, ${drainTrend.totalDead} failed, ${drainTrend.totalDeferred} deferred.`,
      orphans.length > 0 ? `Files that belong to no known tool: ${orphans.join(', ')}` : 'No unknown files.',
    ]
    return { text: fitText(lines, budget), structured: { ...report, files: files.map((file) => ({ ...file })) } }
  },
})

const forgeSyncMemoriesTool = defineTool({
  name: 'forge_sync_memories',
  title: 'Sync hints to agents',
  description: `Write the best decisions, lessons, gotchas, conventions and patterns to the file that an agent loads automatically (Copilot: .github/copilot-memory-hints.md).
USE FOR: the end of a piece of work, so that other agents and people find what was learned.
DO NOT USE FOR: storing something (memory_save, capture_thought).
Additive: what people wrote into the file stays, and nothing changes when there is nothing new. With dryRun it writes nothing and returns the text.`,
  input: z.strictObject({
    ...declared<SyncMemoriesOptions>('SyncMemoriesOptions').fields('agent', 'dryRun', 'limit', 'since'),
    budget: budgetField,
  }),
  output: () =>
    z.object({
      files: z.array(
        z.object(
          declared<SyncedMemories>('SyncedMemories').bare(
            'agent',
            'path',
            'changed',
            'hints',
            'added',
            'removed',
            'sections',
          ),
        ),
      ),
    }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run({ budget, ...input }, { projectDir }) {
    const files = syncMemories(given({ ...input, projectDir }))
    const counts = files.map(({ path, hints, added, removed }) => {
      return `${path}: ${counted(hints, 'hint')}, ${added} new, ${removed} removed`
    })
    // The preview contains recalled notes, so it is framed as untrusted data like them.
    const hints = files.flatMap(({ content = '' }) => hintsIn(content))
    const preview = hints.length === 0 ? '' : `\n${frameWithin(hints, budget).text}`
    const structured = files.map(({ content, ...file }) => file)
    return { text: counts.join('\n') + preview, structured: { files: structured } }
  },
})

/** The hints of a file, each with the lines before it; what comes after the last one belongs to it. */
function hintsIn(content: string): string[] {
  const hints: string[] = []
  let before = ''
  for (const line of content.split('\n').filter((each) => each.trim() !== '')) {
    before += `${line}\n`
    if (!line.startsWith('- ')) continue
    hints.push(before)
    before = ''
  }
  const last = hints.pop()
  return last === undefined ? [] : [...hints, last + before]
}

export const forgeTools = [forgeMemoryCaptureTool, forgeMemoryReportTool, forgeSyncMemoriesTool]
