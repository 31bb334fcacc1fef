import type { Backlog } from '../../openbrain/backlog.js'
import type { OpenBrainStatus } from '../../openbrain/client/status.js'
import { counted, oneLine } from '../../text/printable.js'
import { dateTime } from './moment.js'
import type { Page } from './page.js'
import { pairs } from './table.js'

/** Describes the status of the shared memory. */
export function sharedMemory(status: OpenBrainStatus, page: Page): string {
  const rows: [string, string][] = [
    ['shared memory', `${namedBackend(status)}  ${page.paint('quiet', oneLine(status.place))}`],
    ['state', state(status, page)],
    ['search', status.capabilities === null ? 'in the files of this project' : searchOf(status)],
    ...meaning(status),
    ['waiting', waiting(status)],
    ...notThere(status, page),
    ['last delivery', lastDrain(status)],
  ]
  if (status.ownName !== undefined) rows.push(['project', page.paint('warning', knownAs(status.ownName))])
  if (status.paused) rows.push(['paused', page.paint('bad', oneLine(status.paused.reason))])
  if (status.lastError) {
    rows.push([
      'last error',
      `${oneLine(status.lastError.message)}  ${page.paint('quiet', dateTime(status.lastError.at))}`,
    ])
  }
  for (const loss of status.capabilities?.negotiatedAway ?? []) rows.push(['unavailable', oneLine(loss)])
  for (const { id, copies } of status.doubled) {
    rows.push(['stored twice', `${oneLine(id)}: delete ${copies.map(oneLine).join(', ')} at the server`])
  }
  for (const named of status.untrusted) rows.push(['not approved', `${oneLine(named)} (forge-memory drain --trust)`])
  return pairs(page, rows)
}

/** The one that is there without settings is a file. */
function namedBackend({ backend }: OpenBrainStatus): string {
  return backend === 'embedded' ? 'on this machine' : (backend ?? 'none')
}

function state({ reachable, problem, stored }: OpenBrainStatus, page: Page): string {
  if (reachable) return `${page.paint('good', 'reachable')}, holds ${counted(stored ?? 0, 'record')} of all projects`
  return `${page.paint('bad', 'not reachable')}: ${oneLine(problem ?? 'no answer')}`
}

/** How many records can be found by meaning. */
function meaning({ vectors }: OpenBrainStatus): [string, string][] {
  if (vectors === null || vectors.total === 0) return []
  const { done, total, refused, model } = vectors
  const covered = `${done} of ${counted(total, 'record')} have a vector of ${oneLine(model)}`
  if (done >= total) return [['by meaning', covered]]
  const given = refused > 0 ? `, ${refused} were refused by it` : ''
  const hint = refused < total - done ? ': forge-memory embed computes the others' : ''
  return [['by meaning', covered + given + hint]]
}

function searchOf({ capabilities }: OpenBrainStatus): string {
  return capabilities?.semantic ? 'by words and by meaning' : 'by words'
}

function waiting(status: OpenBrainStatus): string {
  const { queued, due, retrying, deadLetters, backOffUntil, malformed, foreign } = status
  if (queued + deadLetters + malformed + foreign === 0) return 'nothing'
  const facts = [counted(queued, 'record')]
  if (queued > due) facts.push(`${queued - due} of them deferred`)
  if (retrying > 0) facts.push(`${retrying} tried again after failures`)
  if (backOffUntil) facts.push(`tried again ${dateTime(backOffUntil)}`)
  if (deadLetters > 0) facts.push(`${deadLetters} refused by the store (forge-memory dlq list)`)
  if (malformed > 0) facts.push(`${counted(malformed, 'line')} that cannot be read`)
  if (foreign > 0) facts.push(`${foreign} not written by this machine and set aside (forge-memory drain --trust)`)
  return facts.join(', ')
}

/** What two people who mean one project have to know. */
export const knownAs = (name: string): string =>
  `the store knows this project as ${oneLine(name)}, which only this folder is called: for one memory with colleagues, all set the same "projectName" in .forge.json, or a git remote`

/** Records that an earlier store took and this one lacks. */
function notThere({ backlog }: OpenBrainStatus, page: Page): [string, string][] {
  return backlog === null ? [] : [['not there yet', `${page.paint('warning', lacks(backlog))}: ${SENDS_BACKLOG}`]]
}

export function lacks({ records }: Backlog): string {
  return `${counted(records, 'record')} of this project that another store has`
}

export const SENDS_BACKLOG = 'forge-memory drain --again sends them'

function lastDrain({ lastDrain: last }: OpenBrainStatus): string {
  if (!last) return 'never'
  const facts = [`${last.delivered} delivered`, `${last.deferred} deferred`, `${last.dlq} refused`]
  return `${dateTime(last.timestamp ?? '')}: ${facts.join(', ')}`
}
