import type { Command } from 'commander'
import { type CaptureOutcome, captureMemory, settleIndex } from '../../native.js'
import { counted } from '../../text/amount.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { readBody } from '../body.js'
import { Failure } from '../failure.js'
import { collect, given, number } from '../options.js'
import { shortId } from '../page/identity.js'
import { failures } from '../page/tiers.js'

interface Flags {
  tool?: string
  type: string
  source?: string
  tag?: string[]
  confidence?: number
  createdBy?: string
  expiresAt?: string
  supersedes?: string
}

export function configure(command: Command, respond: Respond): void {
  command
    .argument('<body...>', 'the text; - reads it from standard input')
    .requiredOption('--type <type>', 'gotcha, lesson, decision, pattern, convention, or a type of your own')
    .option('--tool <tool>', 'the tool that learned it; its source unless --source says otherwise')
    .option('--source <source>', 'where it comes from: <tool> or <tool>/<subsystem>')
    .option('--tag <tag>', 'a tag; may be repeated', collect)
    .option('--confidence <number>', 'confidence, 0 to 1 (default: 0.7)', number)
    .option('--created-by <name>', 'who learned it')
    .option('--expires-at <instant>', 'an ISO date after which it is no longer recalled')
    .option('--supersedes <id>', 'the memory that this one replaces')
    .action(
      respond(async (project, words: string[], flags: Flags): Promise<Answer> => {
        const { tag, ...rest } = flags
        const body = await readBody(words)
        const outcome = captureMemory({ type: flags.type, body, ...given({ ...rest, tags: tag }) }, project)
        if (!outcome.captured && !outcome.deduped) throw notStored(outcome)
        return {
          document: outcome,
          text: () => summary(outcome),
          warnings: warnings(outcome, flags),
          afterwards: () => settleIndex(project),
        }
      }),
    )
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
  if (outcome.deduped) lines.push(duplicate(outcome))
  else if (outcome.captured) lines.push(`Captured ${oneLine(outcome.thought.type)} ${outcome.id}`)
  if (outcome.redactions > 0) lines.push(`${counted(outcome.redactions, 'secret')} removed before it was stored.`)
  return lines.join('\n')
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
  return [...found, ...failures(outcome.tiers)]
}
