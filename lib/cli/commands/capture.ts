import type { Command } from 'commander'
import { type CaptureOutcome, captureMemory, settleIndex } from '../../native.js'
import { clockBehind } from '../../shared/clock-behind.js'
import { shortId } from '../../shared/identity.js'
import { commandSpeaker } from '../../shared/speaker.js'
import { counted } from '../../text/amount.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { readBody } from '../body.js'
import { Failure } from '../failure.js'
import { collect, given, number } from '../options.js'
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
  supersedes?: string
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
    .option('--supersedes <id>', 'the memory that this one replaces')
    .option('--session-id <name>', 'the conversation that it is a part of; only a hash of the name is stored')
    .action(
      respond(async (project, words: string[], flags: Flags): Promise<Answer> => {
        const { tag, ...rest } = flags
        const body = await readBody(words)
        const outcome = captureMemory(
          { type: flags.type, body, ...given({ ...rest, tags: tag }) },
          { ...project, ...commandSpeaker() },
        )
        if (!outcome.captured && !outcome.deduped) throw notStored(outcome)
        return {
          document: outcome,
          text: () => summary(outcome),
          warnings: warnings(outcome, flags),
          afterwards: () => {
            noteCommand(project, 'capture', changesOf(outcome))
            settleIndex(project)
          },
        }
      }),
    )
}

/** What `undo` takes back: a confirmation is no change that a search shows. */
function changesOf({ id, captured, review, retired }: CaptureOutcome): Change[] {
  if (review === 'accepted') return [{ kind: 'final', hint: `forge-memory forget ${shortId(oneLine(id))} removes it` }]
  return captured ? [{ kind: 'stored', id, retired: retired.map((record) => record.id) }] : []
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

function warnings(outcome: CaptureOutcome, flags: Flags): string[] {
  const found: string[] = []
  if (outcome.source === 'unknown' && (flags.source ?? flags.tool ?? 'unknown') !== 'unknown') {
    found.push(
      `the source ${JSON.stringify(flags.source ?? flags.tool)} is not <tool> or <tool>/<subsystem>: stored as unknown`,
    )
  }
  return [...found, ...clockBehind(outcome), ...failures(outcome.tiers)]
}
