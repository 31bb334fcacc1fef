import { z } from 'zod'
import { sharedRecords } from '../../api/shared-memory.js'
import { forget, type Replacement, type ReplaceOutcome, replaceMemory } from '../../native.js'
import { given } from '../../shared/given.js'
import { shortId } from '../../shared/identity.js'
import { AGENT_OF_SERVER } from '../../shared/speaker.js'
import { changed, changedSchema, changedText } from '../answer/changed.js'
import { declared, recordName } from '../answer/declared.js'
import { defineTool } from '../answer/tool.js'

export const memoryReplaceTool = defineTool({
  name: 'memory_replace',
  title: 'Retire memories',
  description: `Retire notes that another one replaces, or that no longer hold.
USE FOR: what a capture offered, once it is out of date.
DO NOT USE FOR: guesses; what was never true (memory_forget).`,
  input: z.strictObject({
    old: z.array(z.string()),
    ...declared<Replacement>('Replacement').fields('by'),
    ...declared<Replacement>('Replacement').bare('why'),
  }),
  output: () =>
    z.object({
      ...declared<ReplaceOutcome>('ReplaceOutcome').fields('by', 'unchanged', 'inConflict'),
      ...changedSchema(),
    }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async run({ old, by, why }, { projectDir }) {
    const project = given({ projectDir })
    const shared = await sharedRecords([...old, ...(by === undefined ? [] : [by])], project)
    const outcome = shared.during(() =>
      replaceMemory({ old, ...given({ by, why }) }, { ...project, ...AGENT_OF_SERVER }),
    )
    const { unchanged, inConflict } = outcome
    const told = [
      changedText(outcome),
      unchanged.length === 0 ? '' : `Retired before: ${unchanged.map(shortId).join(', ')}.`,
      inConflict.length === 0
        ? ''
        : `In conflict before, until a person decides: ${inConflict.map(shortId).join(', ')}.`,
    ]
    const text = told.filter((part) => part !== '').join(' ')
    return { text, structured: { ...given({ by: outcome.by }), ...changed(outcome), unchanged, inConflict } }
  },
})

export const memoryForgetTool = defineTool({
  name: 'memory_forget',
  title: 'Forget a memory',
  description: `Forget one note for good, in this project and in the shared store.
USE FOR: a note that turned out to be wrong, or that the user wants gone.
DO NOT USE FOR: correcting one (save the correction).`,
  input: z.strictObject({ id: recordName(false) }),
  output: () => z.object({ id: z.string(), removed: z.boolean() }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  async run({ id }, { projectDir }) {
    const shared = await sharedRecords([id], given({ projectDir }), 'forget')
    const { removed } = shared.during(() => forget(id, { ...given({ projectDir }), ...AGENT_OF_SERVER }))
    const text = removed ? `Forgotten: ${id}` : `Nothing is stored under ${id}, or it is forgotten already.`
    return { text, structured: { id, removed } }
  },
})
