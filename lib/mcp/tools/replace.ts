import { z } from 'zod'
import { sharedRecords } from '../../api/shared-memory.js'
import { type Replacement, type ReplaceOutcome, replaceMemory } from '../../native.js'
import { given } from '../../shared/given.js'
import { shortId } from '../../shared/identity.js'
import { AGENT_OF_SERVER } from '../../shared/speaker.js'
import { changed, changedSchema, changedText } from '../answer/changed.js'
import { declared } from '../answer/declared.js'
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
      ...declared<ReplaceOutcome>('ReplaceOutcome').fields('by', 'unchanged'),
      ...changedSchema(),
    }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async run({ old, by, why }, { projectDir }) {
    const project = given({ projectDir })
    const shared = await sharedRecords([...old, ...(by === undefined ? [] : [by])], project)
    const outcome = shared.during(() =>
      replaceMemory({ old, ...given({ by, why }) }, { ...project, ...AGENT_OF_SERVER }),
    )
    const { unchanged } = outcome
    const before = unchanged.length === 0 ? '' : `Retired before: ${unchanged.map(shortId).join(', ')}.`
    const text = [changedText(outcome), before].filter((part) => part !== '').join(' ')
    return { text, structured: { ...given({ by: outcome.by }), ...changed(outcome), unchanged } }
  },
})
