import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { askOffers, sharedRecords } from '../../api/shared-memory.js'
import { type Capture, captureMemory, type Problem, packageTags, pathWithin } from '../../native.js'
import { clockBehind } from '../../shared/clock-behind.js'
import { given } from '../../shared/given.js'
import { allOffered } from '../../shared/offered.js'
import { notedElsewhere } from '../../shared/other-worktree.js'
import { problem } from '../../shared/problem.js'
import { AGENT_OF_SERVER } from '../../shared/speaker.js'
import { changed, changedSchema, changedText, relatedOf, relatedSchema, relatedText } from '../answer/changed.js'
import { defineTool } from '../answer/tool.js'

export const captureSchema = z.object({
  id: z.string(),
  captured: z.boolean().describe('True when it is stored now.'),
  deduped: z.boolean().describe('True when the memory had it already.'),
  duplicateOf: z.string().optional(),
  similarity: z.number().optional(),
  source: z.string().describe('The source as stored: "agent" when the given one is not valid.'),
  sourceRejected: z.string().optional().describe('Why the given source is not the stored one.'),
  redactions: z.number().int().describe('How many secrets were removed before it was stored.'),
  queued: z.boolean().describe('True when it waits for the shared store.'),
  review: z.enum(['proposed', 'accepted', 'rejected']).optional().describe('proposed: it waits for a person.'),
  ...changedSchema,
  related: relatedSchema.optional(),
})

/** The fields of the library's `Capture`, each of which may be undefined. */
type CaptureFields = { [Name in keyof Capture]: Capture[Name] | undefined } & { body: string; type: string }

/** Captures a thought. Fails when the files do not contain it, because the agent must not take it for stored. */
export async function capture(fields: CaptureFields, projectDir: string | undefined) {
  const wanted = given({ ...fields, related: true }) as Capture
  const project = given({ projectDir })
  const asked = await askOffers(fields.body, { ...project, isLasting: true })
  const { supersedes = [] } = fields
  const shared = await sharedRecords([supersedes].flat(), project)
  const outcome = shared.during(() => captureMemory(wanted, { ...project, ...AGENT_OF_SERVER }))
  const { id, captured, deduped, duplicateOf, similarity, source, sourceRejected, redactions, tiers, thought } = outcome
  const { review } = outcome
  if (!captured && !deduped) throw notStored(tiers.files.error)
  const related = outcome.related && allOffered(outcome.related, captured ? await asked() : [])
  const structured = {
    id,
    captured,
    deduped,
    ...given({ duplicateOf, similarity }),
    source,
    ...given({ sourceRejected }),
    redactions,
    queued: captured && tiers.openbrain.ok,
    ...given({ review }),
    ...changed(outcome),
    ...given({ related: relatedOf(related) }),
  }
  const cleaned = redactions > 0 ? ` ${redactions} secret${redactions === 1 ? ' was' : 's were'} removed.` : ''
  const known = duplicateOf === undefined ? '' : ` as ${duplicateOf}`
  const replaced = sourceRejected === undefined ? '' : ` The source was replaced by "${source}": ${sourceRejected}.`
  const noted = [...clockBehind(outcome), ...notedElsewhere(outcome)].map((said) => `Note: ${said}.`)
  const became = [changedText(outcome), ...noted].filter(Boolean).join(' ')
  const stored = review === 'proposed' ? 'Proposed' : 'Captured'
  const text = deduped
    ? `Already known${known}; nothing was added.`
    : `${stored} ${thought.type} ${id}.${cleaned}${replaced}${became === '' ? '' : ` ${became}`}`
  return {
    text: `${text}${relatedText(related, id)}`,
    structured: structured as z.infer<typeof captureSchema>,
  }
}

function notStored(error: Problem | undefined): Error {
  return error === undefined ? problem('IO', 'nothing was stored') : problem(error.code, error.message, error.hint)
}

export const captureThoughtTool = defineTool({
  name: 'capture_thought',
  title: 'Capture a thought',
  description: `Store a thought that should outlive this session.
USE FOR: a decision with its reason, a gotcha that cost time, a lesson, a convention. One thought a call, whole sentences.
DO NOT USE FOR: compact patterns (memory_save), session state, transcripts, secrets, what was recalled.
Name files and commands as they are: they bring the note back.`,
  input: z.strictObject({
    content: z.string().min(1),
    type: z.string().optional().describe('decision, lesson (default), gotcha, convention, pattern, or your own.'),
    project: z.string().optional(),
    source: z.string().optional().describe('<tool> or <tool>/<subsystem>.'),
    tags: z.array(z.string()).optional(),
    confidence: z.number().optional(),
    created_by: z.string().optional(),
    expires_at: z.string().optional().describe('ISO 8601.'),
    supersedes: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .describe('Ids of what it replaces.'),
    source_file: z.string().optional().describe('The file that it is about.'),
  }),
  output: captureSchema,
  // Not idempotent: a repeated capture adds no second record, but it is counted as a confirmation.
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  run({ content, type = 'lesson', source, ...rest }, { projectDir, client }) {
    const { created_by: createdBy, expires_at: expiresAt, source_file: named, ...same } = rest
    // Agents name files as their editor does, by their whole path.
    const sourceFile = named === undefined ? undefined : (pathWithin(named, projectDir, { projectDir }) ?? named)
    const folder = sourceFile === undefined ? undefined : dirname(resolve(projectDir, sourceFile))
    const tags = [...new Set([...(same.tags ?? []), ...packageTags({ projectDir }, folder)])]
    return capture(
      { body: content, type, source: source ?? `${client}/mcp`, createdBy, expiresAt, sourceFile, ...same, tags },
      projectDir,
    )
  },
})
