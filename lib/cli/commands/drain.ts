import type { Command } from 'commander'
import {
  type DrainReport,
  drainOpenBrain,
  type ProjectOptions,
  trustOpenBrain,
  untrustedOpenBrain,
} from '../../index.js'
import type { Answer, Respond } from '../answer.js'
import { asked } from '../confirm.js'
import { Failure } from '../failure.js'
import { given, number } from '../options.js'
import { counted } from '../page/amount.js'
import { bar } from '../page/bar.js'
import { write } from '../page/output.js'
import { openPage } from '../page/page.js'
import { oneLine } from '../page/printable.js'
import { isTerminal } from '../page/terminal.js'

const ERASE = '\r\u001b[2K'
const REDRAW_MS = 100

export function configure(command: Command, respond: Respond): void {
  command
    .option('--max-batch <count>', 'how many records at once (default: as many as the store takes)', number)
    .option('--trust', 'approve, on this machine, where the files of this project send what is captured')
    .action(
      respond(async (project, { maxBatch, trust }: { maxBatch?: number; trust?: boolean }): Promise<Answer> => {
        if (maxBatch !== undefined && !(Number.isInteger(maxBatch) && maxBatch >= 1)) {
          throw new Failure('INVALID_INPUT', '--max-batch is no whole number from 1 up')
        }
        const trusted = await approved(project, trust === true)
        const report = await drained({ ...project, ...given({ maxBatch }) })
        return {
          document: trusted.length === 0 ? report : { ...report, trusted },
          text: () =>
            [...trusted.map((place) => `Approved ${oneLine(place)} for this project.`), summary(report)].join('\n'),
          warnings: report.reason === undefined ? [] : [report.reason],
          exitCode: report.state === 'done' ? 0 : 1,
        }
      }),
    )
}

/** Approves on order, or after a question where somebody is there to answer it; otherwise the drain says what is missing. */
async function approved(project: ProjectOptions, isOrdered: boolean): Promise<string[]> {
  if (isOrdered) return trustOpenBrain(project)
  if (!isTerminal(0)) return []
  const places = await untrustedOpenBrain(project)
  if (places.length === 0) return []
  const list = places.map((place) => `  ${oneLine(place)}`).join('\n')
  const isYes = await asked(
    `The files of this project send what is captured to\n${list}\nIs that what you want? (yes/no)`,
  )
  return isYes ? trustOpenBrain(project) : []
}

/** Drains with a line that shows how far it is, where there is a terminal to show it on. */
async function drained(options: { projectDir?: string; maxBatch?: number }): Promise<DrainReport> {
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  process.once('SIGINT', interrupt)
  const progress = isTerminal(2) ? await meter() : undefined
  try {
    return await drainOpenBrain({
      ...options,
      source: 'cli-drain',
      signal: stop.signal,
      ...(progress && { onProgress: progress }),
    })
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'LOCKED') throw error
    const hint = 'a server of this project delivers already; forge-memory status shows what still waits'
    throw new Failure('LOCKED', 'another process drains this project', { hint })
  } finally {
    process.removeListener('SIGINT', interrupt)
    if (progress) write(2, ERASE)
  }
}

async function meter(): Promise<(report: { attempted: number; waiting: number }) => void> {
  const page = await openPage(2)
  let drawn = 0
  return ({ attempted, waiting }) => {
    if (Date.now() - drawn < REDRAW_MS) return
    drawn = Date.now()
    const all = attempted + waiting
    write(2, `${ERASE}${bar(page, attempted, all)} ${attempted} of ${all}`)
  }
}

function summary(report: DrainReport): string {
  if (report.attempted === 0 && report.state === 'done') return nothingWaits(report)
  const facts = [
    `${counted(report.delivered, 'record')} delivered to ${oneLine(report.place)}`,
    ...(report.deferred > 0 ? [`${report.deferred} put off`] : []),
    ...(report.dlq > 0 ? [`${report.dlq} given up on (forge-memory dlq list)`] : []),
    ...(report.queued > 0 ? [`${report.queued} still waiting`] : []),
  ]
  const seconds = (report.durationMs / 1000).toFixed(1)
  return `${facts.join(', ')}; ${seconds} s.`
}

function nothingWaits({ queued, place }: DrainReport): string {
  return queued === 0 ? `Nothing waits for ${oneLine(place)}.` : `${counted(queued, 'record')} wait until later.`
}
