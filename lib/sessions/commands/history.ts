import type { Command } from 'commander'
import { type Answer, type CommandEntry, calledOff, type Respond } from '../../cli/command.js'
import { confirmed } from '../../cli/confirm.js'
import { Failure } from '../../cli/failure.js'
import { given, optionsOf } from '../../cli/options.js'
import { date } from '../../cli/page/moment.js'
import { notRead } from '../../cli/page/not-read.js'
import { indent, type Page } from '../../cli/page/page.js'
import { pairs } from '../../cli/page/table.js'
import {
  type ForgottenSessions,
  findProject,
  forgetSessions,
  type SessionHit,
  type SessionIndexStatus,
  type SessionSearchOptions,
  type SessionSearchReport,
  type SessionTurn,
  searchSessions,
  sessionIndexStatus,
} from '../../native.js'
import { counted, oneLine, bytes as size } from '../../text/printable.js'

export const entry: CommandEntry = {
  group: 'agent',
  summary: 'find past sessions of your agents, and forget them',
  subcommands: {
    search: [
      'forge-memory agent history search flaky login test',
      'forge-memory agent history search -n 3 --agent claude --since 30d migration',
    ],
    forget: [
      'forge-memory agent history forget --this-project --yes',
      'forge-memory agent history forget --all --dry-run',
    ],
    status: ['forge-memory agent history status', 'forge-memory agent history status -j'],
  },
  isList: true,
  subwork: {
    search: {
      verb: 'reading sessions',
      unit: 'KiB',
      kept: 'the sessions that were read stay in the index; the next search continues',
    },
  },
}

interface SearchFlags extends Omit<SessionSearchOptions, 'agents'> {
  agent?: string[]
}

const searched = optionsOf<SessionSearchOptions>('SessionSearchOptions')

interface ForgetFlags {
  thisProject?: boolean
  all?: boolean
  dryRun?: boolean
  yes?: boolean
}

export function configure(command: Command, respond: Respond): void {
  command
    .command('search')
    .description('Find past sessions of your agents, by words and by meaning, and show how to resume them.')
    .argument('[words...]', 'what was said or done; without words, the newest sessions are listed')
    .option('--agent <names...>', 'only sessions of these agents: claude, codex, gemini, ...')
    .addOption(searched('since', '--since <when>'))
    .addOption(searched('allProjects', '--all-projects', 'sessions of all projects'))
    .addOption(searched('limit', '-n, --limit <count>', 'maximum number of sessions, at most 50 (default: 10)'))
    .addOption(searched('offset', '--offset <count>', 'leave out so many of the first, for the next page (default: 0)'))
    .action(
      respond(async (project, words: string[], flags: SearchFlags): Promise<Answer> => {
        const { agent, ...rest } = flags
        const report = await searchSessions(words.join(' '), { ...project, ...given({ agents: agent, ...rest }) })
        return {
          document: report,
          text: (page) => hitsPage(report, flags.offset ?? 0, page),
          exitCode: report.hits.length > 0 ? 0 : 1,
        }
      }),
    )
  command
    .command('forget')
    .description('Forget past sessions for good; the files of the agents stay.')
    .argument('[session]', "the agent's id of a session")
    .option('--this-project', 'all sessions of the project until now')
    .option('--all', 'all sessions of all projects until now')
    .option('--dry-run', 'count the sessions, and forget none')
    .option('--yes', 'do not ask')
    .action(
      respond(async (project, session: string | undefined, flags: ForgetFlags): Promise<Answer> => {
        const chosen = [session !== undefined, flags.thisProject === true, flags.all === true].filter(Boolean)
        if (chosen.length !== 1) {
          throw new Failure('INVALID_INPUT', 'name one session, or give --this-project or --all')
        }
        const asked = given({ session, project: flags.thisProject, all: flags.all })
        if (flags.dryRun) return wouldForget(await forgetSessions({ ...project, ...asked, dryRun: true }))
        const what = session ?? (flags.all ? 'all sessions' : `all sessions of ${findProject(project)}`)
        if (!flags.yes && !(await confirmed(`Forget ${oneLine(what)} for good? (y/n)`)))
          return calledOff('Nothing was forgotten.', { forgotten: 0, dryRun: false })
        const outcome = await forgetSessions({ ...project, ...asked })
        return { document: outcome, text: `${counted(outcome.forgotten, 'session')} forgotten.` }
      }),
    )
  command
    .command('status')
    .description('Show how many past sessions are indexed, where, and which folders are excluded.')
    .action(
      respond(async (project): Promise<Answer> => {
        const status = await sessionIndexStatus(project)
        return { document: status, text: (page) => statusPage(status, page) }
      }),
    )
}

function wouldForget(outcome: ForgottenSessions): Answer {
  return {
    document: outcome,
    text: `${counted(outcome.forgotten, 'session')} would be forgotten. Nothing was written.`,
  }
}

function hitsPage(report: SessionSearchReport, offset: number, page: Page): string {
  const { hits } = report
  const last = offset + hits.length
  const width = String(last).length
  const shown = hits.map((hit, at) => sessionBlock(hit, String(offset + at + 1).padStart(width), page))
  const none = offset === 0 ? 'No past session was found.' : 'No past session is left.'
  const parts = [
    hits.length === 0 ? none : shown.join('\n\n'),
    report.hasMore ? `There are more: add --offset ${last}.` : '',
    notes(report),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function sessionBlock(hit: SessionHit, rank: string, page: Page): string {
  const margin = rank.length + 2
  const when = hit.at ?? hit.started
  const facts = [
    page.paint('accent', hit.agentTitle),
    ...(when === undefined ? [] : [date(when)]),
    ...(hit.title === undefined ? [] : [oneLine(hit.title)]),
    page.paint('quiet', oneLine(hit.project ?? 'project unknown')),
  ]
  const how = hit.resume === undefined ? `session ${oneLine(hit.session)}` : `resume: ${hit.resume}`
  const lines = hit.gone ? ['(its text is no longer in the file)'] : hit.turns.map((turn) => turnLine(turn, page))
  return [
    `${rank}. ${indent(facts.join('  '), margin, page).trimStart()}`,
    indent(page.paint('quiet', how), margin, page),
    ...lines.map((line) => indent(line, margin, page)),
  ].join('\n')
}

function turnLine({ role, text, matched }: SessionTurn, page: Page): string {
  const line = `${role}: ${oneLine(text)}`
  return matched ? page.paint('strong', `* ${line}`) : page.paint('quiet', `  ${line}`)
}

function notes({ pending, updatedElsewhere, problems }: SessionSearchReport): string {
  const lines = [
    updatedElsewhere ? 'Another process is reading new sessions; what it has read so far was searched.' : '',
    pending > 0 ? `${counted(pending, 'file')} not read yet.` : '',
    notRead(problems),
  ]
  return lines.filter((line) => line !== '').join('\n')
}

function statusPage(status: SessionIndexStatus, page: Page): string {
  const agents = status.agents.map(({ agent, sessions }) => `${agent} ${sessions}`).join(', ')
  return pairs(page, [
    ['state', status.enabled ? 'on' : 'off: history.enabled is false'],
    ['sessions', agents === '' ? 'none yet: a search reads them' : agents],
    ['turns', `${status.turns}, ${status.vectors} of them found by meaning as well`],
    ['excluded', status.excluded.length === 0 ? 'no folders' : status.excluded.map(oneLine).join(', ')],
    ['forgotten', counted(status.forgotten, 'session or project', 'sessions or projects')],
    ['index', `${oneLine(status.folder)}, ${size(status.bytes)}`],
  ])
}
