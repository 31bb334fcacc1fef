// The memories that a new one may replace: one line each, and on a terminal one key each.
import { sharedRecords } from '../api/shared-memory.js'
import { type ProjectOptions, replaceMemory } from '../native.js'
import { type Offered, offeredLines } from '../shared/offered.js'
import { commandSpeaker } from '../shared/speaker.js'
import { oneLine } from '../text/printable.js'
import { chosenKey } from './page/key.js'
import { short } from './page/named.js'
import { write } from './page/output.js'

type Choice = 'replaces' | 'both hold' | 'same thing' | 'quit'

const KEYS: Record<string, Choice> = { r: 'replaces', b: 'both hold', s: 'same thing', q: 'quit' }
const QUESTION = 'The new one [r]eplaces it, [b]oth hold, it says the [s]ame thing, [q]uit'
/** The rule of a record that a newer one says again. */
const RESTATED = 'restated'

/** Names the memories that a new one may replace, and the command for it. */
export function offer(offered: Offered[], id: string): string[] {
  if (offered.length === 0) return []
  const lines = offeredLines(offered).map((line) => `  ${oneLine(line)}`)
  return ['It may replace:', ...lines, `forge-memory replace ID --by ${short(id)} retires what is out of date.`]
}

/** Reads one key for each of them, and retires those that it replaces or repeats. Tells each at once, and returns all. */
export async function askAbout(
  offered: Offered[],
  id: string,
  project: ProjectOptions,
  tell: (retired: string) => void,
): Promise<string[]> {
  const retired: string[] = []
  const lines = offeredLines(offered)
  for (const [at, { id: old }] of offered.entries()) {
    write(1, `\n  ${oneLine(lines[at] ?? '')}\n`)
    const choice = await chosenKey(QUESTION, KEYS)
    if (choice === 'quit') break
    if (choice === 'both hold') continue
    const why = choice === 'same thing' ? { why: RESTATED } : {}
    const shared = await sharedRecords([old], project)
    const outcome = shared.during(() => replaceMemory({ old, by: id, ...why }, { ...project, ...commandSpeaker() }))
    const ids = outcome.retired.map((record) => record.id)
    ids.forEach(tell)
    retired.push(...ids)
  }
  return retired
}

export function decided(retired: string[]): string {
  const names = retired.map((id) => short(id)).join(', ')
  return retired.length === 0 ? 'Nothing else was changed.' : `Retired ${names}; forge-memory undo takes it back.`
}
