import { z } from 'zod'
import { showMemory, verifyHallmark, verifyMemory } from '../../native.js'
import { given } from '../../shared/given.js'
import { recordName } from '../answer/declared.js'
import { budgetField, fitText, frameWithin, textForPrograms } from '../answer/notes.js'
import { defineTool } from '../answer/tool.js'

const forgeHallmarkShowTool = defineTool({
  name: 'forge_hallmark_show',
  title: 'Show where a memory comes from',
  description: `Show one record with its provenance: which tool captured it and when, its source file, its hashes, its revisions.
USE FOR: judging how far to trust a note; finding the file that it is about.
DO NOT USE FOR: searching (memory_recall); checking the whole memory (forge_hallmark_verify without an id).`,
  input: z.strictObject({
    id: recordName(),
    budget: budgetField,
  }),
  output: () =>
    z.object({
      id: z.string(),
      type: z.string(),
      text: z.string(),
      truncated: z.boolean(),
      state: z.string(),
      source: z.string(),
      createdAt: z.string(),
      hallmark: z.record(z.string(), z.unknown()).optional(),
      revisions: z.array(z.object({ id: z.string(), createdAt: z.string(), state: z.string() })),
    }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  run({ id, budget }, { projectDir }) {
    const { entry, state, record, revisions } = showMemory(id, given({ projectDir }))
    const { hallmark } = JSON.parse(record) as { hallmark?: Record<string, unknown> }
    const stamp = Object.entries(hallmark ?? {}).map(([name, value]) => `${name}: ${String(value)}`)
    const about = `[${entry.type}] ${entry.text} (${entry.source}, ${entry.createdAt}, ${state})`
    // One note, whose text comes last: that is what a small budget cuts.
    const { text } = frameWithin([[...(stamp.length > 0 ? stamp : ['no hallmark']), about].join('\n')], budget)
    const structured = {
      id: entry.id,
      type: entry.type,
      ...textForPrograms(entry.text),
      state,
      source: entry.source,
      createdAt: entry.createdAt,
      ...given({ hallmark }),
      revisions: revisions.slice(-REVISIONS_SHOWN).map((revision) => ({
        id: revision.id,
        createdAt: revision.createdAt,
        state: revision.state,
      })),
    }
    return { text, structured }
  },
})

const forgeHallmarkVerifyTool = defineTool({
  name: 'forge_hallmark_verify',
  title: 'Verify hallmarks',
  description: `Check records against the hashes they were stamped with: intact, edited outside, drifted (the file that it is about has changed), unstamped.
USE FOR: before relying on a note about code; finding hand-edited or damaged records.
DO NOT USE FOR: repairing (forge-memory doctor --fix on the command line).`,
  input: z.strictObject({
    id: recordName().optional().describe('One record; the whole memory when absent.'),
    budget: budgetField,
  }),
  output: () =>
    z.object({
      ok: z.boolean(),
      standing: z.string().optional(),
      reason: z.string().optional(),
      counts: z.record(z.string(), z.number()).optional(),
      suspects: z.array(z.looseObject({ file: z.string(), standing: z.string() })).optional(),
    }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  run({ id, budget }, { projectDir }) {
    const options = given({ projectDir })
    if (id !== undefined) {
      const { ok, standing, reason } = verifyHallmark(showMemory(id, options).record, options)
      const why = reason === undefined ? '' : `: ${reason}`
      return { text: fitText([`${id} is ${standing}${why}`]), structured: { ok, standing, ...given({ reason }) } }
    }
    const { ok, suspects, records, intact, edited, drifted, unstamped, damaged } = verifyMemory(options)
    const counts = { records, intact, edited, drifted, unstamped, damaged }
    const first = suspects.slice(0, SUSPECTS_SHOWN).map((suspect) => ({ ...suspect }))
    const lines = first.map(({ file, line, standing, reason }) => `${file}:${line} ${standing}: ${reason}`)
    const more = suspects.length > first.length ? [`${suspects.length - first.length} more`] : []
    const totals = Object.entries(counts).map(([name, count]) => `${name} ${count}`)
    return {
      text: fitText([totals.join(', '), ...lines, ...more], budget),
      structured: { ok, counts, suspects: first },
    }
  },
})

const SUSPECTS_SHOWN = 50
/** The maximum number of revisions shown, newest first. */
const REVISIONS_SHOWN = 50

export const hallmarkTools = [forgeHallmarkShowTool, forgeHallmarkVerifyTool]
