import type { Command } from 'commander'
import { sharedRecords } from '../../api/shared-memory.js'
import { type Edit, editMemory, type ProjectOptions, showMemory } from '../../native.js'
import type { SharedRecords } from '../../openbrain/client/kept.js'
import { shortId } from '../../shared/identity.js'
import { attempt } from '../../shared/problem.js'
import { commandSpeaker } from '../../shared/speaker.js'
import { stored as isStored, observed } from '../../undo/changes.js'
import { readBody } from '../body.js'
import { changed } from '../changed.js'
import { type Answer, addNote, asksForJson, type CommandEntry, type Respond } from '../command.js'
import { type Editable, readDraft, writeDraft } from '../draft.js'
import { editText } from '../editor.js'
import { Failure } from '../failure.js'
import { addFacts, collect, given, number } from '../options.js'
import { retiredLine, short } from '../page/named.js'
import { isTerminal } from '../page/terminal.js'
import { failures } from '../page/tiers.js'
import { withTerminal } from '../page/work.js'

export const entry: CommandEntry = {
  group: 'daily',
  summary: 'replace a memory by a corrected revision',
  examples: [
    'forge-memory edit 7f3a9c21                # opens your editor',
    'forge-memory edit 7f3a9c21 --confidence 0.9 "The gate takes 12 s"',
  ],
}

interface Flags {
  type?: string
  tag?: string[]
  confidence?: number
  expiresAt?: string
}

const NOTE =
  'Without a new text and without options, on a terminal, your editor ($VISUAL, else $EDITOR) opens the memory as Markdown. ' +
  'Saving stores a revision; an unchanged text stores nothing; a draft that cannot be stored is kept.'

export function configure(command: Command, respond: Respond): void {
  addNote(command, NOTE)
    .argument('<id>', 'the id, or six or more characters of its beginning or end')
    .argument('[body...]', 'the new text; - reads it from standard input; the old one when absent')
    .option('-t, --type <type>', 'the new type (default: as it is)')
    .option('--tag <tag>', 'a new tag, in place of all old ones; may be repeated', collect)
    .option('--confidence <number>', 'confidence, 0 to 1 (default: as it is)', number)
    .option('--expires-at <instant>', 'an ISO date after which it is no longer recalled')
    .action(
      respond(async (project, id: string, words: string[], flags: Flags): Promise<Answer> => {
        const { tag, ...rest } = flags
        const body = words.length === 0 ? undefined : await readBody(words)
        const changes = given({ ...rest, body, tags: tag })
        const shared = await sharedRecords([id], project)
        return Object.keys(changes).length === 0 ? editHere(id, project, shared) : stored(id, changes, project, shared)
      }),
    )
  addFacts(command)
}

function stored(id: string, changes: Edit, project: ProjectOptions, shared: SharedRecords): Answer {
  const { outcome: thought, changes: made } = shared.during(() =>
    observed([id], project, () => editMemory(id, changes, { ...project, ...commandSpeaker() })),
  )
  // The record of a colleague has no revisions by others: a record of its own retires it.
  const isOwn = thought.supersedes === undefined
  const retired = retiredBesides(thought.id, id, project)
  const said = isOwn
    ? `Stored ${short(thought.id)}, which retires ${short(id)} of another machine`
    : `Stored revision ${short(thought.id)}, which replaces ${short(thought.supersedes ?? id)}`
  return {
    document: retired.length === 0 ? thought : { ...thought, retired },
    text: [said, ...retired.map((one) => retiredLine(one, one.why))].join('\n'),
    warnings: failures(thought._tiers ?? {}),
    afterwards: () => changed(project, 'edit', isOwn ? [isStored(thought.id), ...made] : made),
  }
}

/** Returns what the new text has retired, apart from the text that it replaces. */
function retiredBesides(id: string, edited: string, project: ProjectOptions) {
  const retires = attempt(() => showMemory(id, given({ projectDir: project.projectDir })).entry.supersedes) ?? []
  return retires.filter((one) => shortId(one.id) !== shortId(edited))
}

/** Opens the record in the user's editor. */
async function editHere(id: string, project: ProjectOptions, shared: SharedRecords): Promise<Answer> {
  if (!isTerminal(0) || !isTerminal(1) || asksForJson()) {
    throw new Failure('INVALID_INPUT', 'expected at least one change', {
      hint: 'forge-memory edit --help shows what can change; on a terminal, an editor opens without one',
    })
  }
  const { entry } = shared.during(() => showMemory(id, { ...project, includeProposed: true }))
  const { type, tags, confidence, text, expiresAt } = entry
  const before: Editable = { type, tags, confidence, expires: expiresAt ?? null, body: text }
  const take = (saved: string): Answer => {
    const changes = readDraft(saved, before)
    if (Object.keys(changes).length > 0) return stored(entry.id, changes, project, shared)
    return { document: { changed: false, id: entry.id }, text: 'Nothing was changed.' }
  }
  return withTerminal(() => editText(`${shortId(entry.id)}.md`, writeDraft(before), take))
}
