import { type Command, Option } from 'commander'
import { isStoreUsed, openBrainStatus } from '../../api/shared-memory.js'
import {
  type AgentStanding,
  agentStanding,
  type HookSwitches,
  hookSwitches,
  listConflicts,
  listRetired,
  memoryDir,
  memoryStatus,
  noteStats,
  type ProjectOptions,
  type ProjectStatus,
} from '../../native.js'
import type { OpenBrainStatus } from '../../openbrain/client/status.js'
import { ageOf } from '../../shared/age.js'
import { allMemories, expiringSoon, SOON_DAYS } from '../../shared/expiring.js'
import { attempt } from '../../shared/problem.js'
import { bytes, counted, oneLine } from '../../text/printable.js'
import { apart } from '../../text/record-counts.js'
import type { Answer, CommandEntry, Respond } from '../command.js'
import { lostWarnings } from '../lost.js'
import { bar } from '../page/bar.js'
import { dateTime } from '../page/moment.js'
import { short } from '../page/named.js'
import { olderTool } from '../page/older-tool.js'
import { indent, type Page, sentences } from '../page/page.js'
import { sharedMemory } from '../page/shared-memory.js'
import { flexible, optional, pairs, right, table } from '../page/table.js'
import { countRetiredLately } from '../retired.js'

export const entry: CommandEntry = {
  group: 'daily',
  summary: 'show what is stored, what waits, and which files are in use',
  examples: ['forge-memory status', 'forge-memory status --today', 'forge-memory status --line'],
}

export function configure(command: Command, respond: Respond): void {
  command
    .option('--today', 'what was learned and retired in 24 hours, what waits, and what expires soon')
    .addOption(
      new Option('--line', 'one line for the status line of an agent: what it stored and was told').conflicts('today'),
    )
    .action(
      respond(async (project, { today, line }: { today?: boolean; line?: boolean }): Promise<Answer> => {
        if (today) return todayOf(project)
        if (line) return lineOf(project)
        const status = memoryStatus(project)
        const memory = memoryDir(project)
        const elsewhere = memory === status.projectDir ? {} : { memoryDir: memory }
        const openbrain = await openBrainStatus(project)
        const agents = agentStanding(project)
        const hooks = hookSwitches(project)
        const retiredLately = countRetiredLately(project)
        const warnings = [
          ...(status.configProblem ? [`${status.configPath}: ${status.configProblem}`] : []),
          ...new Set(status.unreadable),
          ...hooks.problems.map((each) => `${status.configPath}: ${each}`),
          ...(await lostWarnings(project)),
          ...(status.unmigrated.length > 0 ? [olderTool(status.unmigrated)] : []),
        ]
        return {
          document: { ...status, ...elsewhere, openbrain, agents, hooksOff: hooks.off, retiredLately },
          text: (page) =>
            [
              toDo(status, openbrain, warnings.length, project, page),
              text({ ...status, ...elsewhere }, agents, hooks, page),
              counts(status, isStoreUsed(openbrain), page),
              ...retiredText(retiredLately, page),
              ...(isStoreUsed(openbrain) ? [sharedMemory(openbrain, page)] : []),
            ].join('\n\n'),
          warnings,
        }
      }),
    )
}

const DAY = '1d'
/** The rows of a part; a busy day has thousands. */
const SHOWN = 20

/** The news that a person reads in the morning: a page of its own, because each part may be long. */
function todayOf(project: ProjectOptions): Answer {
  const learned = allMemories({ ...project, since: DAY })
  const retired = listRetired({ ...project, since: DAY })
  const { waiting, expiring: count } = memoryStatus(project).counts
  const conflicts = listConflicts(project).length
  const expiring = expiringSoon(project, count)
  return {
    document: { learned, retired, waiting, conflicts, expiring },
    text: (page) =>
      [
        section('Learned', learned, page),
        section(
          'Retired',
          retired.map((one) => ({ ...one, createdAt: one.retired.at })),
          page,
        ),
        indent(
          `Waiting: ${counted(waiting, 'memory', 'memories')} to review, ${counted(conflicts, 'conflict')}${waiting + conflicts > 0 ? ' (forge-memory review)' : ''}`,
          0,
          page,
        ),
        section(`Expiring within ${SOON_DAYS} days`, expiring, page, 'forge-memory keep --expiring renews them'),
      ].join('\n\n'),
  }
}

function section(
  title: string,
  found: { id: string; type: string; text: string; createdAt: string; source?: string }[],
  page: Page,
  advice?: string,
): string {
  if (found.length === 0) return `${title}: nothing`
  const rows = found
    .slice(0, SHOWN)
    .map((one) => [
      short(one.id),
      page.kind(one.type),
      ageOf(one.createdAt),
      oneLine(one.source ?? ''),
      oneLine(one.text),
    ])
  const columns = ['ID', 'TYPE', optional('WHEN'), optional('SOURCE'), flexible('TEXT')]
  const rest = found.length - rows.length
  const more = rest > 0 ? `\n${page.paint('quiet', `and ${rest} more; --json lists all`)}` : ''
  const hint = advice === undefined ? '' : ` (${advice})`
  return `${page.paint('strong', `${title}: ${found.length}`)}${hint}\n${table(page, columns, rows)}${more}`
}

/** What agents stored in a day, with the command that takes the last of it back; what waits for a person; and what agents were told. */
function lineOf(project: ProjectOptions): Answer {
  const { state } = agentStanding(project)
  // What an agent marks has the hook as its source, and no author.
  const isOfAgent = ({ author, source = '' }: { author?: string; source?: string }) =>
    author === 'agent' || source.endsWith('/hook')
  const stored = allMemories({ ...project, since: DAY }).filter(isOfAgent)
  const { waiting } = memoryStatus(project).counts
  const { injected: told, used } = noteStats(project)
  const [last] = stored
  const undo = last === undefined ? '' : `, the last by: forge-memory forget ${short(last.id)}`
  const parts = [
    ...(state === 'on' ? [] : [state]),
    `${stored.length} stored by agents in a day${undo}`,
    ...(waiting === 0 ? [] : [`${waiting} to review`]),
    `${counted(told, 'note')} told, ${used} used`,
  ]
  return {
    document: { state, stored: stored.map(({ id }) => id), waiting, told, used },
    // A host takes the first line, and COLUMNS may be that of its terminal.
    text: () => `memory: ${parts.join('; ')}`,
  }
}

/** With the folder of the memory where that is another one. */
type Status = ProjectStatus & { memoryDir?: string }

function text(status: Status, agents: AgentStanding, hooks: HookSwitches, page: Page): string {
  return pairs(page, [
    ['project', `${oneLine(status.shortName)}  ${page.paint('quiet', oneLine(status.projectDir))}`],
    ...(status.memoryDir === undefined
      ? []
      : [
          ['memory', `that of the main checkout  ${page.paint('quiet', oneLine(status.memoryDir))}`] as [
            string,
            string,
          ],
        ]),
    ...identified(status),
    ...formerly(status),
    ['home', page.link(status.home, oneLine(status.home))],
    ['config', page.link(status.configPath, oneLine(status.configPath))],
    ['durability', status.durability],
    ['secrets', status.redact ? 'removed before anything is stored' : 'stored unredacted ("redact": false)'],
    ['index', indexState(status)],
    ['meaning', meaningState(status)],
    ['agents', agentState(agents)],
    ...switchedOff(hooks),
  ])
}

/** What waits for a person, each with its command, before all that only describes. */
function toDo(
  { counts: { waiting, expiring } }: ProjectStatus,
  { deadLetters, foreign, untrusted }: OpenBrainStatus,
  warnings: number,
  project: ProjectOptions,
  page: Page,
): string {
  const conflicts = countOf(() => listConflicts(project).length)
  const matters: [what: string, command: string, count: number][] = [
    [`${counted(warnings, 'warning')} below`, 'doctor', warnings],
    [`${counted(waiting, 'memory', 'memories')} to decide about`, 'review', waiting],
    [counted(conflicts, 'contradiction'), 'review --conflicts', conflicts],
    [`${counted(expiring, 'memory', 'memories')} to renew within ${SOON_DAYS} days`, 'keep --expiring', expiring],
    [`${counted(deadLetters, 'record')} that the shared store refused`, 'dlq list', deadLetters],
    ['something to approve for the shared store', 'drain --trust', foreign + untrusted.length],
  ]
  const open = matters.filter(([, , count]) => count > 0)
  if (open.length === 0) return page.paint('good', 'Nothing to do.')
  const lines = open.map(([what, command]) => `  ${what}: ${page.paint('strong', `forge-memory ${command}`)}`)
  return sentences([page.paint('strong', 'To do:'), ...lines].join('\n'), page)
}

/** Where the memory cannot be read, the warnings say so. */
function countOf(count: () => number): number {
  return attempt(count) ?? 0
}

/** Memories that agents retired lately: a person should look at them. */
function retiredText(count: number, page: Page): string[] {
  if (count === 0) return []
  const text = `Agents have retired ${counted(count, 'memory', 'memories')} in the last 7 days: forge-memory list --retired`
  return [indent(text, 0, page)]
}

function agentState(agents: AgentStanding): string {
  if (agents.state === 'on') return 'get notes'
  if (agents.state === 'off') return `off: ${oneLine(agents.why ?? '')}`
  const until = agents.until === undefined ? 'until forge-memory resume' : `until ${dateTime(agents.until)}`
  return `paused ${agents.everywhere ? 'in all projects ' : ''}${until}`
}

function switchedOff({ off }: HookSwitches): [string, string][] {
  return off.length === 0 ? [] : [['hooks off', off.join(', ')]]
}

/** The identity, where the short form hides a part of it. */
function identified({ projectName, shortName }: ProjectStatus): [string, string][] {
  return projectName === shortName ? [] : [['identity', oneLine(projectName)]]
}

/** The former names of the project, whose records belong to it too. */
function formerly({ formerNames, shortName }: ProjectStatus): [string, string][] {
  const others = formerNames.filter((name) => name !== shortName)
  return others.length === 0 ? [] : [['also called', others.map(oneLine).join(', ')]]
}

function indexState({ indexedBytes, journalBytes, indexBytes }: ProjectStatus): string {
  if (journalBytes === 0) return 'nothing to index'
  const share = Math.floor((Math.min(indexedBytes, journalBytes) / journalBytes) * 100)
  return `covers ${share} % of ${bytes(journalBytes)}, ${indexBytes === 0 ? 'not written to a file yet' : `takes ${bytes(indexBytes)}`}`
}

function meaningState({ vectors }: ProjectStatus): string {
  if (vectors === undefined) return 'not searched: forge-memory model install'
  const { covered, total } = vectors
  if (covered === 0 && total > 0) return `no vectors for ${counted(total, 'text')} yet: forge-memory embed`
  return `vectors for ${covered} of ${counted(total, 'text')}, take ${bytes(vectors.bytes)}`
}

const DELIVERIES = [
  ['waiting for the shared store', 'queued'],
  ['refused by the shared store', 'deadLetters'],
] as const

function counts(status: ProjectStatus, isShared: boolean, page: Page): string {
  const stored: [string, number][] = [
    ['memories', status.counts.memories],
    ['  of them for all projects', status.counts.global],
    ...apart(status.counts),
    ...(isShared ? DELIVERIES.map(([name, field]): [string, number] => [name, status[field]]) : []),
  ]
  const largest = Math.max(...stored.map(([, count]) => count))
  const rows = stored.map(([name, count]) => [name, String(count), page.paint('accent', bar(page, count, largest))])
  return table(page, ['STORED', right('COUNT'), ''], rows)
}
