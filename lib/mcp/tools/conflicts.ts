import { z } from 'zod'
import { listAllConflicts, sharedRecords } from '../../api/shared-memory.js'
import { type ConflictResolution, type RelatedMemory, type ResolveOutcome, resolveConflict } from '../../native.js'
import { ageOf } from '../../shared/age.js'
import { given } from '../../shared/given.js'
import { AGENT_OF_SERVER } from '../../shared/speaker.js'
import { voiceOf } from '../../text/voice.js'
import { declared } from '../answer/declared.js'
import { budgetField, frameWithin, textForPrograms } from '../answer/notes.js'
import { defineTool } from '../answer/tool.js'

const recordSchema = () =>
  z.object({
    ...declared<RelatedMemory>('RelatedMemory').bare('id', 'text', 'createdAt'),
    author: z.string().optional(),
    truncated: z.boolean().describe('True when the text is longer than what is given here.'),
  })

const memoryConflictsTool = defineTool({
  name: 'memory_conflicts',
  title: 'List memories that contradict each other',
  description: `List the pairs of records that contradict each other and are not settled, newest first.
USE FOR: before relying on a fact that a note contradicts; cleaning up what is out of date.
DO NOT USE FOR: searching (memory_recall): recalled notes already say what contradicts them.
Returns: for each pair the newer and the older record, and the rule by which they were found to disagree. memory_resolve settles one.`,
  input: z.strictObject({ budget: budgetField }),
  output: () =>
    z.object({
      conflicts: z.array(z.object({ newer: recordSchema(), older: recordSchema(), rule: z.string(), why: z.string() })),
      shown: z.number().int(),
      total: z.number().int(),
    }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  async run({ budget }, { projectDir }) {
    const found = await listAllConflicts(given({ projectDir }))
    if (found.length === 0) {
      return { text: 'No memories contradict each other.', structured: { conflicts: [], shown: 0, total: 0 } }
    }
    const lines = found.map(({ newer, older, why }) => `${why}\n  newer: ${line(newer)}\n  older: ${line(older)}`)
    const framed = frameWithin(lines, budget)
    const conflicts = found.slice(0, framed.shown).map(({ newer, older, rule, why }) => {
      return { newer: recordOf(newer), older: recordOf(older), rule, why }
    })
    return { text: framed.text, structured: { conflicts, shown: framed.shown, total: found.length } }
  },
})

const memoryResolveTool = defineTool({
  name: 'memory_resolve',
  title: 'Settle a contradiction of two memories',
  description: `Settle a conflict of two records: say which one is right. The other one is retired, never deleted; \`forge-memory keep\` restores it.
USE FOR: a pair of memory_conflicts, or a note with contradictedBy, once you know what is true: from the code, or from the user.
DO NOT USE FOR: guessing; forgetting a record for good (memory_forget).
Returns: which records are current now, and which are retired.
Example: memory_resolve({ id: "mem_a", with: "mem_b", holds: "merge", text: "The API listens on 9090 since v3, before on 8080" })`,
  input: z.strictObject(declared<ConflictResolution>('ConflictResolution').fields('id', 'with', 'holds', 'text')),
  output: () => z.object(declared<ResolveOutcome>('ResolveOutcome').fields('current', 'retired')),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ text, ...named }, { projectDir }) {
    const speaker = { ...given({ projectDir }), ...AGENT_OF_SERVER }
    const shared = await sharedRecords([named.id, named.with], given({ projectDir }))
    const outcome = shared.during(() => resolveConflict({ ...named, ...given({ text }) }, speaker))
    const retired = outcome.retired.length === 0 ? 'nothing' : outcome.retired.join(', ')
    return { text: `Current: ${outcome.current.join(', ')}. Retired: ${retired}.`, structured: { ...outcome } }
  },
})

function line({ text, createdAt, id, ...voice }: RelatedMemory): string {
  return `${text} (${voiceOf(voice)}, ${ageOf(createdAt)}, ${id})`
}

function recordOf({ id, text, createdAt, author }: RelatedMemory) {
  return { id, ...textForPrograms(text), createdAt, ...given({ author }) }
}

export const conflictTools = [memoryConflictsTool, memoryResolveTool]
