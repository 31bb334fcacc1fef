// The effects of a capture on other records, and those that it may replace: the same facts for agent and programs.
import { z } from 'zod'
import type { Contradicted, OfferedMemory } from '../../native.js'
import { given } from '../../shared/given.js'
import { shortId } from '../../shared/identity.js'
import { type Offered, offeredLines } from '../../shared/offered.js'
import { declared } from './declared.js'
import { frameWithin, textForPrograms } from './notes.js'

interface Changed {
  retired: Contradicted[]
  conflicts: Contradicted[]
}

const recordsSchema = () => z.array(z.object(declared<Contradicted>('Contradicted').bare('id', 'rule')))

export const changedSchema = () => ({
  retired: recordsSchema().describe('Records that are no longer current because of it.'),
  conflicts: recordsSchema().describe('Current records that contradict it.'),
})

export const relatedSchema = () =>
  z
    .array(
      z.object({
        ...declared<OfferedMemory>('OfferedMemory').bare('id', 'type', 'text', 'createdAt'),
        author: z.string().optional(),
      }),
    )
    .describe('Current records that it may replace; memory_replace retires them.')

export function changed({ retired, conflicts }: Changed) {
  const named = (list: Contradicted[]) => list.map(({ id, rule }) => ({ id, rule }))
  return { retired: named(retired), conflicts: named(conflicts) }
}

/** Names the retired records and those in conflict, in a sentence each; empty when there are none. */
export function changedText({ retired, conflicts }: Changed): string {
  const named = (list: Contradicted[]) => list.map(({ id }) => shortId(id)).join(', ')
  const sentences = [
    ...(retired.length === 0 ? [] : [`Retired ${named(retired)}.`]),
    ...(conflicts.length === 0 ? [] : [`In conflict with ${named(conflicts)}: tell the user, or settle it.`]),
  ]
  return sentences.join(' ')
}

/** Names the records that a new one may replace, and the call for it. */
export function relatedText(related: Offered[] | undefined, id: string): string {
  if (related === undefined || related.length === 0) return ''
  const { text } = frameWithin(offeredLines(related), undefined)
  return `\nIs one of these out of date now? memory_replace({ old: [ids], by: "${shortId(id)}" })\n${text}`
}

export function relatedOf(related: Offered[] | undefined) {
  if (related === undefined) return undefined
  return related.map(({ id, type, text, createdAt, author }) => {
    return { id, type, text: textForPrograms(text).text, createdAt, ...given({ author }) }
  })
}
