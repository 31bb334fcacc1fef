import type { Command } from 'commander'
import { type ShownRecord, sharedRecords, shownRecord } from '../../api/shared-memory.js'
import type { MemoryRevision } from '../../native.js'
import { ageOf } from '../../shared/age.js'
import { cameFrom, claimOf } from '../../shared/came-from.js'
import { factsOf } from '../../shared/declared.js'
import { counted, oneLine, printable } from '../../text/printable.js'
import { voiceOf } from '../../text/voice.js'
import type { Answer, CommandEntry, Respond } from '../command.js'
import { date, dateTime } from '../page/moment.js'
import { begun, short } from '../page/named.js'
import { indent, type Page } from '../page/page.js'
import { flexible, pairs, table } from '../page/table.js'

export const entry: CommandEntry = {
  group: 'daily',
  summary: 'show one memory and its revisions',
  examples: ['forge-memory show 7f3a9c21', 'forge-memory show 7f3a9c21 --history'],
  isList: true,
}

type Shown = ShownRecord

const REVISIONS_MAX = 50

export function configure(command: Command, respond: Respond): void {
  command
    .argument('<id>', 'the id, or six or more characters of its beginning or end')
    .option('--history', 'every revision with its whole text, the oldest first')
    .action(
      respond(async (project, id: string, { history = false }: { history?: boolean }): Promise<Answer> => {
        const shared = await sharedRecords([id], project, 'show')
        const shown = shownRecord(id, { ...project, includeProposed: true }, shared)
        return { document: shown, text: (page) => (history ? past(shown, page) : text(shown, page)) }
      }),
    )
}

function past({ revisions }: Shown, page: Page): string {
  return revisions
    .map(({ id, text: body, createdAt, state, at, ...voice }, index) => {
      const ended = at === undefined ? '' : ` ${dateTime(at)}`
      const facts = [dateTime(createdAt), `${oneLine(state)}${ended}`, `by ${voiceOf(voice)}`, oneLine(id)]
      const head = `${index + 1} of ${revisions.length}  ${facts.join('  ')}`
      return `${page.paint('strong', head)}\n${indent(printable(body.trim()), 2, page)}`
    })
    .join('\n\n')
}

function text(shown: Shown, page: Page): string {
  const parts = [
    page.paint('strong', page.wrap(printable(shown.entry.text.trim()), page.width)),
    pairs(page, facts(shown, page)),
  ]
  if (shown.revisions.length > 1) parts.push(revisions(shown.revisions, page))
  return parts.join('\n\n')
}

function facts(
  { entry, state, retired, ended, revisions, confirmations, verdicts, confidenceNow, shared }: Shown,
  page: Page,
): [string, string][] {
  const found: [string, string][] = [
    ['id', oneLine(entry.id)],
    ['state', oneLine(state)],
    ...stateRows(retired, entry),
    ...(ended === undefined ? [] : [[`${state} by`, `${voiceOf(ended)}, ${dateTime(ended.at)}`] as [string, string]]),
    ['type', page.kind(entry.type)],
    ['scope', entry.scope],
    ['confidence', `${entry.confidence.toFixed(2)}, ${confidenceNow.toFixed(2)} now`],
    ['said by', `${voiceOf(revisions.at(-1))}${entry.vouched ? '; a person vouched for it' : ''}`],
    ['source', oneLine(entry.source)],
    ...[...cameFrom(entry), ...claimOf(entry)].map((said): [string, string] => ['origin', oneLine(said)]),
    ...worktreeRows(entry),
    ...storeRows(shared),
    ['stored', `${dateTime(entry.createdAt)} (${ageOf(entry.createdAt)})`],
    ['confirmed', counted(confirmations, 'time')],
  ]
  if (verdicts)
    found.push(['feedback', `useful to ${counted(verdicts.useful, 'session')}, wrong for ${verdicts.wrong}`])
  if (entry.expiresAt) found.push(['expires', date(entry.expiresAt)])
  if (entry.tags.length > 0) found.push(['tags', entry.tags.map(oneLine).join(', ')])
  return [...found, ...Object.entries(factsOf(entry)).map(([name, fact]): [string, string] => [name, oneLine(fact)])]
}

/** Where a record is that this memory does not have. */
function worktreeRows({ worktree }: Shown['entry']): [string, string][] {
  if (worktree === undefined) return []
  return [
    ['where', oneLine(worktree.said)],
    ['folder', oneLine(worktree.folder)],
  ]
}

/** Who captured a record that only the shared store has. */
function storeRows(shared: Shown['shared']): [string, string][] {
  if (shared === undefined) return []
  const { createdBy, project, contradictedBy = [] } = shared
  return [
    ['author', `${oneLine(createdBy)}, in the shared store`],
    ['project', oneLine(project)],
    ...contradictedBy.map((id): [string, string] => ['contradicted by', short(id)]),
  ]
}

/** Why a record is not current, and the records that contradict it or are superseded by it. */
function stateRows(retired: Shown['retired'], entry: Shown['entry']): [string, string][] {
  const found: [string, string][] = []
  if (retired) {
    const by = [short(retired.id), dateTime(retired.at), `(${oneLine(retired.rule)}; ${voiceOf(retired)})`]
    found.push(['retired by', by.filter((part) => part !== '').join(' ')])
    found.push(['because', `${oneLine(retired.why || retired.rule)}; forge-memory keep makes it current again`])
  }
  for (const { id, text, ...voice } of entry.contradictedBy ?? []) {
    found.push(['contradicted by', `${short(id)} (${voiceOf(voice)}) ${begun(text)}`])
  }
  for (const { id, text } of entry.supersedes ?? []) found.push(['retires', `${short(id)} ${begun(text)}`])
  return found
}

/** The newest revisions only, because a table of thousands of rows is slow and unreadable. */
function revisions(all: MemoryRevision[], page: Page): string {
  const rows = all
    .slice(-REVISIONS_MAX)
    .map((revision) => [short(revision.id), revision.state, dateTime(revision.createdAt), oneLine(revision.text)])
  const columns = ['REVISION', 'STATE', 'DATE', flexible('TEXT')]
  const older = all.length - rows.length
  const note = older === 0 ? '' : `\n${counted(older, 'older revision')}: --history shows all`
  return table(page, columns, rows) + note
}
