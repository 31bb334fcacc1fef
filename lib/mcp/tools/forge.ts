import { z } from 'zod'
import { buildMemoryReport, syncMemories } from '../../native.js'
import { given } from '../../shared/given.js'
import { HINT_AGENTS } from '../../shared/hint-agents.js'
import { countsText } from '../../text/record-counts.js'
import { budgetField, fitText, frameWithin } from '../answer/notes.js'
import { defineTool } from '../answer/tool.js'
import { capture, captureSchema } from './capture.js'

export const forgeMemoryCaptureTool = defineTool({
  name: 'forge_memory_capture',
  title: 'Capture for forge tooling',
  description: `Capture what a forge tool learned, in all three tiers: the live hub, the project's files, the queue to the shared store.
USE FOR: forge tools and plan runs, which name themselves as the tool; a capture that must be attributed to a subsystem.
DO NOT USE FOR: thoughts of the conversation (capture_thought); compact patterns (memory_save).
A source that is not <tool> or <tool>/<subsystem> is stored as "agent"; the capture goes on.`,
  input: z.strictObject({
    content: z.string().min(1).describe('What was learned, at most 65,536 bytes.'),
    type: z
      .string()
      .optional()
      .describe('decision, lesson, convention, pattern, gotcha, or a type of your own (default: decision).'),
    tool: z.string().optional().describe('The tool that captures, for example forge_run_plan.'),
    source: z.string().optional().describe('<tool> or <tool>/<subsystem>; the tool when absent.'),
    project: z.string().optional(),
    tags: z.array(z.string()).max(32).optional(),
    confidence: z.number().min(0).max(1).optional(),
    created_by: z.string().optional(),
    expires_at: z.string().optional().describe('When it expires, ISO 8601 (default: by its type).'),
    supersedes: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .describe('The ids of the records that it replaces.'),
    source_file: z.string().optional().describe('The file of this project that it is about.'),
    byte_range: z
      .array(z.number().int())
      .length(2)
      .optional()
      .describe('The byte range in the file: [start, end], without the byte at the end.'),
    code_hash: z
      .string()
      .optional()
      .describe('sha256: and 64 hexadecimal digits; computed when there is a source file.'),
    tool_version: z.string().optional(),
  }),
  output: captureSchema,
  // Not idempotent: a repeated capture adds no second record, but it is counted as a confirmation.
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  run({ content, type = 'decision', tool = 'forge_memory_capture', ...rest }, { projectDir }) {
    const { created_by: createdBy, expires_at: expiresAt, source_file: sourceFile, ...others } = rest
    const { byte_range: byteRange, code_hash: codeHash, tool_version: toolVersion, ...same } = others
    const provenance = { sourceFile, byteRange, codeHash, toolVersion }
    return capture({ body: content, type, tool, createdBy, expiresAt, ...provenance, ...same }, projectDir)
  },
})

export const forgeMemoryReportTool = defineTool({
  name: 'forge_memory_report',
  title: 'Report on the memory',
  description: `The inventory of this project's memory: memories, files with sizes and lines, lines that cannot be read, the queue to the shared store, the drain trend, telemetry, files that belong to no known tool.
USE FOR: checking the health of the memory, or answering "how much has been learned".
DO NOT USE FOR: reading memories (memory_recall, list_thoughts).`,
  input: z.strictObject({ budget: budgetField }),
  output: z.looseObject({ projectDir: z.string(), files: z.array(z.looseObject({ name: z.string() })) }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  run({ budget }, { projectDir }) {
    const report = buildMemoryReport(given({ projectDir }))
    const { files, queue, telemetry, drainTrend, orphans } = report
    const lines = [
      `Memory of ${report.projectDir}: ${countsText(report.counts)}.`,
      ...files.map(
        ({ name, records, size, unparsable }) =>
          `  ${name}: ${records} lines, ${size} bytes${unparsable > 0 ? `, ${unparsable} lines that cannot be read` : ''}`,
      ),
      `Captures: ${telemetry.total}, ${telemetry.deduped} duplicates.`,
      `Queue: ${queue.pending} waiting, ${queue.dlq} dead letters.`,
      `Drain trend, last ${drainTrend.passes} passes: ${drainTrend.totalDelivered} passed, ${drainTrend.totalDead} failed, ${drainTrend.totalDeferred} deferred.`,
      orphans.length > 0 ? `Files that belong to no known tool: ${orphans.join(', ')}` : 'No unknown files.',
    ]
    return { text: fitText(lines, budget), structured: { ...report, files: files.map((file) => ({ ...file })) } }
  },
})

export const forgeSyncMemoriesTool = defineTool({
  name: 'forge_sync_memories',
  title: 'Sync hints to agents',
  description: `Write the best decisions, lessons, gotchas, conventions and patterns to the file that an agent loads automatically (Copilot: .github/copilot-memory-hints.md).
USE FOR: the end of a piece of work, so that other agents and people find what was learned.
DO NOT USE FOR: storing something (memory_save, capture_thought).
Additive: what people wrote into the file stays, and nothing changes when there is nothing new. With dryRun it writes nothing and returns the text.`,
  input: z.strictObject({
    agent: z.enum(HINT_AGENTS).optional().describe('The agent whose file is written (default: copilot).'),
    dryRun: z.boolean().optional(),
    limit: z.number().int().min(1).max(200).optional().describe('Maximum number of hints per section (default: 10).'),
    since: z.string().optional().describe('Only newer records: an ISO date, or an age such as 7d, 2w.'),
    budget: budgetField,
  }),
  output: z.object({
    files: z.array(
      z.object({
        agent: z.string(),
        path: z.string(),
        changed: z.boolean(),
        hints: z.number(),
        added: z.number(),
        removed: z.number(),
        sections: z.record(z.string(), z.number()),
      }),
    ),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run({ budget, ...input }, { projectDir }) {
    const files = syncMemories(given({ ...input, projectDir }))
    const counts = files.map(({ path, hints, added, removed }) => {
      return `${path}: ${hints} hints, ${added} new, ${removed} removed`
    })
    // The preview contains recalled notes, so it is framed as untrusted data like them.
    const lines = files.flatMap(({ content = '' }) => content.split('\n').filter((line) => line.trim() !== ''))
    const preview = lines.length === 0 ? '' : `\n${frameWithin(lines, budget).text}`
    const structured = files.map(({ content, ...file }) => file)
    return { text: counts.join('\n') + preview, structured: { files: structured } }
  },
})
