import type { Command } from 'commander'
import {
  type CaptureOutcome,
  captureMemory,
  findProject,
  type ProjectOptions,
  packageTags,
  settleIndex,
} from '../../native.js'
import { personHere } from '../../openbrain/person.js'
import { clockBehind } from '../../shared/clock-behind.js'
import { shortId } from '../../shared/identity.js'
import { commandSpeaker, isStartedByAgent, startingAgent } from '../../shared/speaker.js'
import { counted } from '../../text/amount.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { readBody } from '../body.js'
import { Failure } from '../failure.js'
import { asksForJson } from '../json.js'
import { lostWarnings } from '../lost.js'
import { askAbout, decided, offer } from '../offer.js'
import { collect, given, number } from '../options.js'
import { write } from '../page/output.js'
import { isTerminal } from '../page/terminal.js'
import { failures } from '../page/tiers.js'
import { type Change, noteCommand } from '../undo/log.js'

interface Flags {
  tool?: string
  type: string
  source?: string
  tag?: string[]
  confidence?: number
  createdBy?: string
  expiresAt?: string
  supersedes?: string[]
  related?: boolean
  sessionId?: string
}

export function configure(command: Command, respond: Respond): void {
  command
    .argument('<body...>', 'the text; - reads it from standard input')
    .requiredOption('-t, --type <type>', 'gotcha, lesson, decision, pattern, convention, or a type of your own')
    .option('--tool <tool>', 'the tool that learned it; its source unless --source says otherwise')
    .option('--source <source>', 'where it comes from: <tool> or <tool>/<subsystem>')
    .option('--tag <tag>', 'a tag; may be repeated', collect)
    .option('--confidence <number>', 'confidence, 0 to 1 (default: 0.8, 0.7 for an agent)', number)
    .option('--created-by <name>', 'who learned it')
    .option('--expires-at <instant>', 'an ISO date after which it is no longer recalled')
    .option('--supersedes <id>', 'a memory that this one replaces; may be repeated', collect)
    .option('--related', 'name what it may replace, as on a terminal and for agents')
    .option('--session-id <name>', 'the conversation that it is a part of; only a hash of the name is stored')
    .action(
      respond(async (project, words: string[], flags: Flags): Promise<Answer> => {
        const { tag, related = isOffered(), ...rest } = { ...(await whoSays(project, flags)), ...flags }
        const body = await readBody(words)
        const outcome = captureMemory(
          {
            type: flags.type,
            body,
            ...given({ ...rest, tags: inPackage(tag, project), related: related || undefined }),
          },
          { ...project, ...commandSpeaker() },
        )
        if (!outcome.captured && !outcome.deduped) throw notStored(outcome)
        const offered = outcome.related ?? []
        const asks = offered.length > 0 && isAsked()
        if (asks) write(1, `${summary(outcome)}\n`)
        const replaced = asks ? await askAbout(offered, outcome.id, project) : []
        return {
          document: outcome,
          text: () => (asks ? decided(replaced) : [summary(outcome), ...offer(offered, outcome.id)].join('\n')),
          warnings: await warnings(outcome, flags, project),
          afterwards: () => {
            noteCommand(project, 'capture', changesOf(outcome, replaced))
            settleIndex(project)
          },
        }
      }),
    )
}

/** Adds the package of the working directory: what is learned there is recalled there first. */
function inPackage(tags: string[] = [], project: ProjectOptions): string[] | undefined {
  const all = [...new Set([...tags, ...packageTags(project)])]
  return all.length === 0 ? undefined : all
}

/** Names who captures where the command does not: the agent that started it, or the person whom the user's settings name. */
async function whoSays(project: ProjectOptions, { tool, source }: Flags): Promise<Partial<Flags>> {
  const agent = startingAgent()
  if (agent !== undefined) return (source ?? tool) === undefined ? { source: agent } : {}
  return given({ createdBy: await personHere(findProject(project)) })
}

/** Whether a person at a terminal can be asked. */
function isAsked(): boolean {
  return isTerminal(0) && isTerminal(1) && !asksForJson() && !isStartedByAgent()
}

/** Agents read the answer, and people at a terminal are asked; a script does neither, and is not kept waiting. */
function isOffered(): boolean {
  return isStartedByAgent() || isAsked()
}

/** What `undo` takes back: a confirmation is no change that a search shows. */
function changesOf({ id, captured, review, retired }: CaptureOutcome, replaced: string[]): Change[] {
  if (review === 'accepted') return [{ kind: 'final', hint: `forge-memory forget ${shortId(oneLine(id))} removes it` }]
  return captured ? [{ kind: 'stored', id, retired: [...retired.map((record) => record.id), ...replaced] }] : []
}

function notStored(outcome: CaptureOutcome): Failure {
  const { code, message, hint } = outcome.tiers.files.error ?? {
    code: 'IO',
    message: 'the record could not be appended to the raw log',
  }
  return new Failure(code, `nothing was stored: ${message}`, { outcome, ...given({ hint }) })
}

function summary(outcome: CaptureOutcome): string {
  const lines: string[] = []
  if (outcome.review !== undefined) lines.push(reviewed(outcome))
  else if (outcome.deduped) lines.push(duplicate(outcome))
  else if (outcome.captured) lines.push(`Captured ${oneLine(outcome.thought.type)} ${outcome.id}`)
  lines.push(...outcome.retired.map(retired), ...outcome.conflicts.map(contradicted))
  if (outcome.redactions > 0) lines.push(`${counted(outcome.redactions, 'secret')} removed before it was stored.`)
  return lines.join('\n')
}

function retired({ id, text, why }: CaptureOutcome['retired'][number]): string {
  const excerpt = text === '' ? '' : `: ${oneLine(text)}`
  return `Retired ${shortId(oneLine(id))}${excerpt} (${why}; forge-memory keep ${shortId(oneLine(id))} brings it back)`
}

function contradicted({ id, text, why }: CaptureOutcome['conflicts'][number]): string {
  return `In conflict with ${shortId(oneLine(id))}: ${oneLine(text)} (${why}; forge-memory conflicts settles it)`
}

function reviewed({ id, captured, review }: CaptureOutcome): string {
  const short = shortId(oneLine(id))
  if (review === 'accepted') return `Accepted ${short}, which waited for a review.`
  if (review === 'rejected') return `Not stored: a review has rejected the same text (${short}).`
  const verb = captured ? `Proposed ${id}` : `Already proposed as ${short}`
  return `${verb}: forge-memory review decides on it.`
}

function duplicate(outcome: CaptureOutcome): string {
  const alike = outcome.similarity === undefined ? '' : ` (${Math.floor(outcome.similarity * 100)} % alike)`
  return `Already known as ${shortId(oneLine(outcome.duplicateOf ?? outcome.id))}${alike}: counted as a confirmation.`
}

async function warnings(outcome: CaptureOutcome, flags: Flags, project: ProjectOptions): Promise<string[]> {
  const found: string[] = []
  if (outcome.sourceRejected !== undefined) {
    found.push(
      `the source ${JSON.stringify(flags.source ?? flags.tool)} is not <tool> or <tool>/<subsystem>: stored as ${outcome.source}`,
    )
  }
  return [...found, ...clockBehind(outcome), ...failures(outcome.tiers), ...(await lostWarnings(project))]
}
