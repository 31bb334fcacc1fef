import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { askOffers, sharedRecords } from '../../api/shared-memory.js'
import {
  type Capture,
  type CaptureOutcome,
  captureMemory,
  type Problem,
  packageTags,
  pathWithin,
} from '../../native.js'
import { given } from '../../shared/given.js'
import { clockBehind, notedInWorktree } from '../../shared/marks.js'
import { allOffered } from '../../shared/offered.js'
import { problem } from '../../shared/problem.js'
import { AGENT_OF_SERVER } from '../../shared/speaker.js'
import { changed, changedSchema, changedText, relatedOf, relatedSchema, relatedText } from '../answer/changed.js'
import { declared, saidFields } from '../answer/declared.js'
import { defineTool } from '../answer/tool.js'

const outcomeOf = declared<CaptureOutcome>('CaptureOutcome')

export const captureSchema = () =>
  z.object({
    ...outcomeOf.bare('id', 'duplicateOf', 'similarity'),
    ...outcomeOf.fields('captured', 'deduped', 'source', 'sourceRejected', 'redactions', 'review', 'waitsBecause'),
    queued: z.boolean().describe('True when it waits for the shared store.'),
    ...changedSchema(),
    related: relatedSchema().optional(),
  })

/** The fields of the library's `Capture`, each of which may be undefined. */
type CaptureFields = { [Name in keyof Capture]: Capture[Name] | undefined } & { body: string; type: string }

/** Where a quote proves nothing. */
const NOT_SAID =
  'it counts as yours: a quote has to be a whole sentence that the user typed here, and the text to say the same'

/** Captures a thought. Fails when the files do not contain it, because the agent must not take it for stored. */
export async function capture(fields: CaptureFields, projectDir: string | undefined) {
  const wanted = given({ ...fields, related: true }) as Capture
  const project = given({ projectDir })
  const asked = await askOffers(fields.body, { ...project, isLasting: true })
  const { supersedes = [] } = fields
  const shared = await sharedRecords([supersedes].flat(), project)
  const outcome = shared.during(() => captureMemory(wanted, { ...project, ...AGENT_OF_SERVER }))
  const { id, captured, deduped, duplicateOf, similarity, source, sourceRejected, redactions, tiers, thought } = outcome
  const { review, waitsBecause } = outcome
  if (!captured && !deduped) throw notStored(tiers.files.error)
  const related = outcome.related && allOffered(outcome.related, captured ? await asked() : [])
  const structured = {
    ...{ id, captured, deduped, source, redactions, queued: captured && tiers.openbrain.ok },
    ...given({ duplicateOf, similarity, sourceRejected, review, waitsBecause, related: relatedOf(related) }),
    ...changed(outcome),
  }
  const cleaned = redactions > 0 ? ` ${redactions} secret${redactions === 1 ? ' was' : 's were'} removed.` : ''
  const known = duplicateOf === undefined ? '' : ` as ${duplicateOf}`
  const replaced = sourceRejected === undefined ? '' : ` The source was replaced by "${source}": ${sourceRejected}.`
  const noted = [...clockBehind(outcome), ...notedInWorktree(outcome)]
  const isQuoted = thought.author === 'person'
  if (wanted.quote !== undefined && !isQuoted && captured) noted.push(NOT_SAID)
  if (waitsBecause !== undefined) noted.push(`it waits for a person, because ${waitsBecause}`)
  const whose = isQuoted ? ", as the user's words" : ''
  const became = [changedText(outcome), ...noted.map((said) => `Note: ${said}.`)].filter(Boolean).join(' ')
  const stored = review === 'proposed' ? 'Proposed' : 'Captured'
  const text = deduped
    ? `Already known${known}; nothing was added.`
    : `${stored} ${thought.type} ${id}${whose}.${cleaned}${replaced}${became === '' ? '' : ` ${became}`}`
  return { text: `${text}${relatedText(related, id)}`, structured }
}

function notStored(error: Problem | undefined): Error {
  return error === undefined ? problem('IO', 'nothing was stored') : problem(error.code, error.message, error.hint)
}

export const captureFields = declared<Capture>('Capture')

export const captureThoughtTool = defineTool({
  name: 'capture_thought',
  title: 'Capture a thought',
  description: `Store a thought that should outlive this session.
USE FOR: a decision with its reason, a gotcha that cost time, a lesson, a convention, a command that works. One thought a call, whole sentences.
DO NOT USE FOR: session state, transcripts, secrets, what was recalled.
Name files and commands as they are: they bring the note back.`,
  input: z.strictObject({
    content: z.string().min(1),
    type: captureFields.field('type').default('lesson'),
    ...captureFields.bare('project', 'tags', 'confidence', 'created_by'),
    source: captureFields.field('source').optional().describe('<tool> or <tool>/<subsystem>.'),
    expires_at: captureFields.field('expires_at').optional().describe('ISO 8601.'),
    ...captureFields.fields('supersedes', 'source_file'),
    ...saidFields(),
  }),
  output: captureSchema,
  // Not idempotent: a repeated capture adds no second record, but it is counted as a confirmation.
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  run({ content, source, sourceFile: named, said: quote, ...rest }, { projectDir, client }) {
    // Agents name files as their editor does, by their whole path.
    const sourceFile = named === undefined ? undefined : (pathWithin(named, projectDir, { projectDir }) ?? named)
    const folder = sourceFile === undefined ? undefined : dirname(resolve(projectDir, sourceFile))
    const tags = [...new Set([...(rest.tags ?? []), ...packageTags({ projectDir }, folder)])]
    return capture({ ...rest, body: content, quote, source: source ?? `${client}/mcp`, sourceFile, tags }, projectDir)
  },
})
