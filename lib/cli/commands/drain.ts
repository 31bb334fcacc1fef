import type { Command } from 'commander'
import { queueAgain, trustForeignRecords } from '../../api/queue.js'
import { drainOpenBrain, storeBacklog, trustOpenBrain, untrustedOpenBrain } from '../../api/shared-memory.js'
import { foreignRecords, type ProjectOptions } from '../../native.js'
import type { Backlog } from '../../openbrain/backlog.js'
import type { DrainReport } from '../../outbox/drain.js'
import { hasCode } from '../../shared/problem.js'
import { commandKind } from '../../shared/speaker.js'
import { counted, oneLine } from '../../text/printable.js'
import type { Answer, CommandEntry, Respond } from '../command.js'
import { askYesNo } from '../confirm.js'
import { Failure } from '../failure.js'
import { requirePerson } from '../leave.js'
import { given, number } from '../options.js'
import { knownAs, lacks, SENDS_BACKLOG } from '../page/shared-memory.js'
import { isTerminal } from '../page/terminal.js'
import { reportWork } from '../page/work.js'

export const entry: CommandEntry = {
  group: 'share',
  summary: 'deliver queued memories to the shared memory',
  examples: [
    'forge-memory share drain',
    'forge-memory share drain --again --since 7d     # to a store that was emptied',
  ],
  work: {
    verb: 'delivering',
    unit: 'records',
    kept: 'what was delivered stays delivered; the rest is still in the queue',
  },
}

export function configure(command: Command, respond: Respond): void {
  command
    .option('--max-batch <count>', 'batch size (default: the limit of the store)', number)
    .option(
      '--trust',
      'approve the addresses that the files of this project send captures to, and the records that came with it',
    )
    .option('--again', 'deliver all records of this project again, to a store that is new, was emptied or was replaced')
    .option('--since <when>', 'with --again: only records since an ISO date, or an age such as 7d')
    .action(
      respond(async (project, { maxBatch, trust, again, since }: Flags): Promise<Answer> => {
        if (maxBatch !== undefined && !(Number.isInteger(maxBatch) && maxBatch >= 1)) {
          throw new Failure('INVALID_INPUT', '--max-batch: expected a whole number of at least 1')
        }
        if (trust) requirePerson('approve where captures are sent, or the records of others', project)
        const trusted = await approved(project, trust === true)
        const taken = await takenOver(project, trust === true)
        const aside = foreignIn(project)
        if (since !== undefined && !again) {
          throw new Failure('INVALID_INPUT', '--since requires --again', {
            hint: 'forge-memory drain --again --since 7d',
          })
        }
        const lacking = again ? undefined : await storeBacklog(project)
        const isSent = lacking !== undefined && (await isOffered(lacking))
        const queued = again || isSent ? queueAgain(since ?? lacking?.since ?? null, project) : undefined
        if (queued !== undefined && since === undefined)
          (await import('../../openbrain/client/approval.js')).joined(project)
        const { report, isInterrupted } = await drained({ ...project, ...given({ maxBatch }) })
        return {
          document: {
            ...report,
            ...(trusted.length === 0 ? {} : { trusted }),
            ...(taken === 0 ? {} : { taken }),
            ...(queued && { again: queued }),
            ...(lacking !== undefined && !isSent ? { backlog: lacking } : {}),
          },
          text: [
            ...trusted.map((place) => `Approved ${oneLine(place)} for this project.`),
            ...(taken === 0 ? [] : [`Approved ${counted(taken, 'record')} that this machine did not write.`]),
            ...(report.resent === undefined
              ? []
              : [`The store lacks what it had, as after a restore. ${onceMore(report.resent)}`]),
            ...(queued === undefined ? [] : [onceMore(queued)]),
            ...(isInterrupted
              ? ['Interrupted: what was delivered stays delivered; the rest is still in the queue.']
              : []),
            summary(report),
          ].join('\n'),
          warnings: [
            ...(report.reason === undefined ? [] : [report.reason]),
            ...(report.ownName === undefined ? [] : [knownAs(report.ownName)]),
            ...(aside === undefined
              ? []
              : [
                  `not delivered, because this machine did not write it: ${aside}; ${NOT_OURS} (forge-memory drain --trust)`,
                ]),
            ...(lacking !== undefined && !isSent ? [`the store lacks ${lacks(lacking)}: ${SENDS_BACKLOG}`] : []),
          ],
          exitCode: isInterrupted ? 130 : report.state === 'done' ? 0 : 1,
        }
      }),
    )
}

interface Flags {
  maxBatch?: number
  trust?: boolean
  again?: boolean
  since?: string
}

function onceMore({ stores, deletes, rulings }: ReturnType<typeof queueAgain>): string {
  const orders = deletes === 0 ? '' : ` and ${counted(deletes, 'order')} to delete`
  const said = rulings === 0 ? '' : `, and what was said about ${counted(rulings, 'record')}`
  return `Queued ${counted(stores, 'record')}${orders}${said} again.`
}

/** True if a person sits at the terminal, who may approve. */
function isAsked(): boolean {
  return isTerminal(0) && commandKind() !== 'agent'
}

/** Asks on a terminal whether a store that is new to the project gets the records of another one. */
async function isOffered(lacking: Backlog): Promise<boolean> {
  return isAsked() && askYesNo(`The store lacks ${lacks(lacking)}. Send them? (y/n)`)
}

/**
 * Approves the address with --yes, or after confirmation on a terminal; without it, the drain says that it is missing.
 */
async function approved(project: ProjectOptions, isOrdered: boolean): Promise<string[]> {
  if (isOrdered) return trustOpenBrain(project)
  if (!isAsked()) return []
  const places = await untrustedOpenBrain(project)
  if (places.length === 0) return []
  const list = places.map((place) => `  ${oneLine(place)}`).join('\n')
  const isYes = await askYesNo(
    `The files of this project send what is captured to\n${list}\nIs that what you want? (y/n)`,
  )
  return isYes ? trustOpenBrain(project) : []
}

/** Approves the records in the queue that this machine did not write. Returns how many. */
async function takenOver(project: ProjectOptions, isOrdered: boolean): Promise<number> {
  const { stores, deletes, rulings } = foreignRecords(project)
  const all = stores + deletes + rulings
  if (all === 0) return 0
  if (!isOrdered) {
    if (!isAsked()) return 0
    const what = foreignIn(project)
    if (!(await askYesNo(`This machine did not write ${what}: ${NOT_OURS}.\nDeliver them? (y/n)`))) return 0
  }
  trustForeignRecords(project)
  return all
}

const NOT_OURS =
  'it came with a clone, from another tool or release, the folder was moved, or the home folder could not be written then'

/** Names what this machine did not write and does not deliver, in words for people; undefined where there is nothing. */
function foreignIn(project: ProjectOptions): string | undefined {
  const { stores, deletes, rulings, projects } = foreignRecords(project)
  if (stores + deletes + rulings === 0) return undefined
  const named = projects.length === 0 ? '' : `, of ${projects.map(oneLine).join(', ')}`
  const orders = deletes + rulings === 0 ? '' : `, and ${counted(deletes + rulings, 'order')} to delete or retire`
  return `${counted(stores, 'record')} to store${named}${orders}`
}

interface DrainFlags {
  projectDir?: string
  maxBatch?: number
}

/** Drains the queue; Ctrl-C ends it after the records that are being delivered. */
async function drained(options: DrainFlags): Promise<{ report: DrainReport; isInterrupted: boolean }> {
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  process.once('SIGINT', interrupt)
  try {
    const report = await drainOpenBrain({
      ...options,
      source: 'cli-drain',
      signal: stop.signal,
      onProgress: ({ attempted, waiting }) => reportWork({ done: attempted, total: attempted + waiting }),
    })
    return { report, isInterrupted: stop.signal.aborted }
  } catch (error) {
    if (!hasCode(error, 'LOCKED')) throw error
    const hint = 'a server of this project is already delivering; forge-memory status shows what is still waiting'
    throw new Failure('LOCKED', 'another process is draining this project', { hint })
  } finally {
    process.removeListener('SIGINT', interrupt)
  }
}

function summary(report: DrainReport): string {
  const vectors = report.embedded > 0 ? `\n${counted(report.embedded, 'vector')} made.` : ''
  if (report.attempted === 0) return `${nothingTried(report)}${vectors}`
  return `${delivered(report)}${vectors}`
}

function delivered(report: DrainReport): string {
  const facts = [
    `${counted(report.delivered, 'record')} delivered${toPlace(report)}`,
    ...(report.deferred > 0 ? [`${report.deferred} deferred`] : []),
    ...(report.dlq > 0 ? [`${report.dlq} dead letters (forge-memory dlq list)`] : []),
    ...(report.queued > 0 ? [`${report.queued} still waiting`] : []),
  ]
  const seconds = (report.durationMs / 1000).toFixed(1)
  return `${facts.join(', ')}; ${seconds} s.`
}

/** The settings may name no store. */
function toPlace({ place }: DrainReport): string {
  return place === '' ? '' : ` to ${oneLine(place)}`
}

function nothingTried({ queued, place, state }: DrainReport): string {
  if (state === 'misconfigured' || state === 'busy')
    return `Nothing was delivered; ${counted(queued, 'record')} waiting.`
  if (queued > 0) return `${counted(queued, 'record')} deferred.`
  return place === '' ? 'Nothing is waiting.' : `Nothing is waiting for ${oneLine(place)}.`
}
