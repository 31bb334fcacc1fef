import { type Command, Option } from 'commander'
import { askOffers, sharedRecords } from '../../api/shared-memory.js'
import {
  type Capture,
  type CaptureOutcome,
  captureMemory,
  findProject,
  memorySave,
  type ProjectOptions,
  packageTags,
  type Save,
  settleIndex,
} from '../../native.js'
import { factsOf } from '../../shared/declared.js'
import { clockBehind, notedInWorktree } from '../../shared/marks.js'
import { allOffered } from '../../shared/offered.js'
import { commandKind, commandSpeaker, isStartedByAgent, startingAgent } from '../../shared/speaker.js'
import { counted, oneLine, printable } from '../../text/printable.js'
import { suggestType } from '../../text/suggested-type.js'
import { type Change, changesOfCapture, retired as isRetired, statesOf, stored } from '../../undo/changes.js'
import { noteMore } from '../../undo/log.js'
import { readBody } from '../body.js'
import { changed, noted } from '../changed.js'
import { type Answer, asksForJson, type CommandEntry, type Respond } from '../command.js'
import { Failure } from '../failure.js'
import { lostWarnings } from '../lost.js'
import { askAbout, decided, offer } from '../offer.js'
import { addFacts, given, optionsOf } from '../options.js'
import { dayOfYear } from '../page/moment.js'
import { named, retiredLine, short } from '../page/named.js'
import { write } from '../page/output.js'
import { openPage, sentences } from '../page/page.js'
import { isTerminal } from '../page/terminal.js'
import { failures } from '../page/tiers.js'

export const entry: CommandEntry = {
  group: 'daily',
  summary: 'store what was just learned',
  examples: [
    'forge-memory add "The build fails when the cache is cold"',
    'forge-memory add -t gotcha --tag jest "Jest needs --runInBand on Windows"',
    'forge-memory add -t convention --scope global "Makefiles use tabs"',
    'git log -1 --format=%B | forge-memory add -t decision -',
  ],
}

interface Flags extends Omit<Capture, 'body' | 'content' | 'tags' | 'type'> {
  /** What older scripts type for the type of a pattern. */
  category?: string
  scope?: NonNullable<Save['scope']>
  tag?: string[]
  type?: string
}

const captured = optionsOf<Capture>('Capture')
const TYPE = 'gotcha, lesson, decision, pattern, convention, or your own (default: guessed from the text)'

export function configure(command: Command, respond: Respond): void {
  const category = new Option('--category <category>', 'the type of a pattern').hideHelp().conflicts(NOT_OF_PATTERNS)
  command
    .argument('<body...>', 'the text; - reads it from standard input')
    .addOption(captured('type', '-t, --type <type>', TYPE))
    .addOption(optionsOf<Save>('Save')('scope', '--scope <scope>'))
    .addOption(category)
    .on('option:category', (type: string) => command.setOptionValue('type', type))
    .addOption(captured('tool', '--tool <tool>'))
    .addOption(captured('source', '--source <source>'))
    .addOption(captured('tags', '--tag <tag>'))
    .addOption(captured('confidence', '--confidence <number>'))
    .addOption(captured('createdBy', '--created-by <name>'))
    .addOption(captured('expiresAt', '--expires-at <instant>'))
    .addOption(captured('supersedes', '--supersedes <id>'))
    .option('--related', 'name what it may replace, as on a terminal and for agents')
    .addOption(captured('sessionId', '--session-id <name>'))
    .action(
      respond(async (project, words: string[], flags: Flags): Promise<Answer> => {
        if (flags.category !== undefined || flags.scope === 'global') return savePattern(words, flags, project)
        const { tag, related = isOffered(), ...rest } = { ...(await whoSays(project, flags)), ...flags }
        const body = await readBody(words)
        const isGuessed = flags.type === undefined
        const asked = related ? await askOffers(body, project) : undefined
        const named = [flags.supersedes ?? []].flat()
        const shared = await sharedRecords(named, project)
        const was = shared.during(() => statesOf(named, project))
        const outcome = shared.during(() =>
          captureMemory(
            {
              type: flags.type ?? suggestType(body),
              body,
              ...given({ ...rest, tags: inPackage(tag, project), related: related || undefined }),
            },
            { ...project, ...commandSpeaker() },
          ),
        )
        if (!outcome.captured && !outcome.deduped) throw notStored(outcome)
        const team = outcome.captured ? ((await asked?.()) ?? []) : []
        const offered = allOffered(outcome.related, team)
        const asks = offered.length > 0 && isAsked()
        // Before the question: the terminal may be closed at it.
        const { at, unnoted } = noted(
          project,
          'add',
          shared.during(() => changesOfCapture(outcome, was, project)),
        )
        if (asks) write(1, `${sentences(summary(outcome, isGuessed), await openPage(1))}\n`)
        const replaced = asks
          ? await askAbout(offered, outcome.id, project, (old) => noteMore(project, at, [isRetired(old, outcome.id)]))
          : []
        return {
          document: team.length === 0 ? outcome : { ...outcome, team },
          text: asks ? decided(replaced) : [summary(outcome, isGuessed), ...offer(offered, outcome.id)].join('\n'),
          warnings: [...unnoted, ...(await warnings(outcome, flags, project))],
          afterwards: () => settleIndex(project),
        }
      }),
    )
  addFacts(command)
}

/** The options that only a memory of this project has. */
const NOT_OF_PATTERNS = ['tool', 'source', 'createdBy', 'expiresAt', 'supersedes', 'related', 'sessionId']

/** Patterns can be shared by all projects of a user, so their types are fixed. */
async function savePattern(words: string[], flags: Flags, project: ProjectOptions): Promise<Answer> {
  const refused = NOT_OF_PATTERNS.find((name) => flags[name as keyof Flags] !== undefined)
  if (refused !== undefined) {
    throw new Failure('INVALID_INPUT', `--scope global: what is for all projects has no ${refused}`, {
      hint: 'leave one of the two out',
    })
  }
  // As for `memory_save`.
  const { type = 'convention', scope, confidence = 0.7, tag } = flags
  const pattern = await readBody(words)
  const outcome = memorySave(
    { pattern, category: type as Save['category'], confidence, ...given({ scope, tags: tag }), ...factsOf(flags) },
    { ...project, ...commandSpeaker() },
  )
  return {
    document: outcome,
    text: printable(outcome.message),
    afterwards: () => changed(project, 'add', outcome.status === 'saved' ? [storedBy(outcome)] : []),
  }
}

const storedBy = ({ id, review }: { id: string; review?: string | undefined }): Change =>
  stored(id, review === 'proposed' ? 'proposed' : 'current')

/** Adds the package of the working directory: memories from there are recalled there first. */
function inPackage(tags: string[] = [], project: ProjectOptions): string[] | undefined {
  const all = [...new Set([...tags, ...packageTags(project)])]
  return all.length === 0 ? undefined : all
}

/** Names who captures where the command does not: the agent that started it, or the person whom the user's settings name. */
async function whoSays(project: ProjectOptions, { tool, source }: Flags): Promise<Partial<Flags>> {
  const agent = startingAgent()
  if (agent !== undefined) return (source ?? tool) === undefined ? { source: agent } : {}
  // Of a script the name would be a claim.
  if (commandKind() !== 'person') return {}
  const { personHere } = await import('../../openbrain/person.js')
  return given({ createdBy: await personHere(findProject(project)) })
}

/** True if a person at a terminal can be asked. */
function isAsked(): boolean {
  return isTerminal(0) && isTerminal(1) && !asksForJson() && !isStartedByAgent()
}

/** Agents read the answer, and people at a terminal are asked; a script does neither, and is not kept waiting. */
function isOffered(): boolean {
  return isStartedByAgent() || isAsked()
}

function notStored(outcome: CaptureOutcome): Failure {
  const { code, message, hint } = outcome.tiers.files.error ?? {
    code: 'IO',
    message: 'the record could not be appended to the raw log',
  }
  return new Failure(code, `nothing was stored: ${message}`, { outcome, ...given({ hint }) })
}

function summary(outcome: CaptureOutcome, isGuessed: boolean): string {
  const lines: string[] = []
  if (outcome.review !== undefined) lines.push(reviewed(outcome))
  else if (outcome.deduped) lines.push(duplicate(outcome))
  else if (outcome.captured) lines.push(storedText(outcome, isGuessed))
  lines.push(...outcome.retired.map((one) => retiredLine(one, one.why)))
  for (const one of outcome.conflicts)
    lines.push(`In conflict with ${named(one)} (${one.why}; forge-memory review settles it)`)
  if (outcome.redactions > 0) lines.push(`${counted(outcome.redactions, 'secret')} removed before it was stored.`)
  return lines.join('\n')
}

/** Says when a type that does not last is no longer recalled, so that nobody is surprised; and that it was guessed. */
function storedText({ id, thought }: CaptureOutcome, isGuessed: boolean): string {
  const { type, expiresAt = '' } = thought
  const isSoon = Date.parse(expiresAt) - Date.now() < SOON_DAYS * 86_400_000
  const guess = isGuessed ? ` (type guessed; edit ${short(id)} -t TYPE changes it)` : ''
  return `${oneLine(type)} ${short(id)} stored${isSoon ? `, until ${dayOfYear(expiresAt)}` : ''}${guess}`
}

/** An expiry in a year or later is not worth a word. */
const SOON_DAYS = 360

function reviewed({ id, captured, review, waitsBecause }: CaptureOutcome): string {
  if (review === 'accepted') return `Accepted ${short(id)}, which waited for a review.`
  if (review === 'rejected') return `Not stored: a review has rejected the same text (${short(id)}).`
  const verb = captured ? `Proposed ${short(id)}` : `Already proposed as ${short(id)}`
  const why = waitsBecause === undefined ? '' : ` It waits because ${waitsBecause}.`
  return `${verb}: forge-memory review decides on it.${why}`
}

function duplicate(outcome: CaptureOutcome): string {
  const alike = outcome.similarity === undefined ? '' : ` (${Math.floor(outcome.similarity * 100)} % alike)`
  return `Already known as ${short(outcome.duplicateOf ?? outcome.id)}${alike}: counted as a confirmation.`
}

async function warnings(outcome: CaptureOutcome, flags: Flags, project: ProjectOptions): Promise<string[]> {
  const found: string[] = []
  if (outcome.sourceRejected !== undefined) {
    found.push(
      `the source ${JSON.stringify(flags.source ?? flags.tool)} is not <tool> or <tool>/<subsystem>: stored as ${outcome.source}`,
    )
  }
  return [
    ...found,
    ...clockBehind(outcome),
    ...notedInWorktree(outcome),
    ...failures(outcome.tiers),
    ...(await lostWarnings(project)),
  ]
}
