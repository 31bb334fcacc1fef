import { projectAt } from '../../native.js'
import { counted, oneLine } from '../../text/printable.js'
import { memoriesText } from '../../text/record-counts.js'
import { write } from '../page/output.js'
import { openPage, type Page } from '../page/page.js'
import { type Choice, pickOne } from '../page/picker.js'
import { pairs } from '../page/table.js'
import { type Found, lookAround } from './found.js'

/** The agents with the most sessions are named, the others are counted. */
const NAMED_MAX = 3

/** Greets, tells the findings, and offers next steps. Nothing is done that was not chosen. */
export async function welcome(run: (argv: string[]) => Promise<number>, version: string): Promise<number> {
  const page = await openPage(1)
  const greeting = `${page.paint('strong', `forge-memory ${version}`)}: memory for coding agents\n\n`
  const { problem } = projectAt()
  if (problem !== undefined) {
    write(
      1,
      `${greeting}${oneLine(problem.message)}\n${oneLine(problem.hint ?? '')}\n\nforge-memory --help lists the commands.\n`,
    )
    return 0
  }
  const found = lookAround()
  write(1, `${greeting}${foundText(found, page)}\n\n`)
  const chosen = await pickOne('What would you like to do?', offers(found))
  const argv = chosen === undefined ? undefined : COMMANDS[chosen]
  if (argv === undefined) {
    write(1, 'Nothing was changed. forge-memory --help lists the commands.\n')
    return 0
  }
  write(1, `${page.paint('quiet', `$ forge-memory ${argv.join(' ')}`)}\n`)
  return run(argv)
}

type Offer = 'init' | 'backfill' | 'serve' | 'help' | 'leave'

const COMMANDS: Record<Offer, string[] | undefined> = {
  init: ['init'],
  backfill: ['backfill'],
  serve: ['dashboard'],
  help: ['--help'],
  leave: undefined,
}

function offers({ agents, transcripts }: Found): Choice<Offer>[] {
  const known = typeof transcripts === 'string' ? [] : transcripts
  const files = known.reduce((sum, each) => sum + each.files, 0)
  const past: Choice<Offer>[] = [
    {
      value: 'backfill',
      label: `Learn from ${counted(files, 'past session file')}`,
      hint: 'shows what it finds first',
    },
  ]
  return [
    {
      value: 'init',
      label: agents.length === 0 ? 'Set up an agent' : 'Set up your agents',
      hint: 'shows every change first',
    },
    ...(files > 0 ? past : []),
    { value: 'serve', label: 'Open the dashboard', hint: 'Ctrl+C ends it' },
    { value: 'help', label: 'List all commands' },
    { value: 'leave', label: 'Nothing now' },
  ]
}

function foundText({ project, isGit, counts, retired, agents, transcripts }: Found, page: Page): string {
  return pairs(page, [
    ['project', `${oneLine(project)}  ${page.paint('quiet', isGit ? 'a git repository' : 'not a git repository')}`],
    ['memory', memoryText(counts)],
    ...waitingText(counts, retired),
    [
      'agents',
      listOr(
        agents.map(({ title, by }) => `${title} (${oneLine(by)})`),
        'none found',
      ),
    ],
    ['past sessions', sessionsText(transcripts)],
  ])
}

/** The matters that a person should look at. */
function waitingText(counts: Found['counts'], retired = 0): [string, string][] {
  const waiting = typeof counts === 'object' ? counts.waiting : 0
  const found = [
    ...(waiting > 0 ? [`${waiting} ${waiting === 1 ? 'waits' : 'wait'} for review (forge-memory review)`] : []),
    ...(retired > 0 ? [`${retired} retired by agents this week (forge-memory list --retired)`] : []),
  ]
  return found.length === 0 ? [] : [['to look at', found.join(', ')]]
}

function memoryText(counts: Found['counts']): string {
  if (counts === undefined) return 'none yet'
  return typeof counts === 'string' ? `cannot be read: ${oneLine(counts)}` : memoriesText(counts)
}

function sessionsText(transcripts: Found['transcripts']): string {
  if (typeof transcripts === 'string') return `cannot be counted: ${oneLine(transcripts)}`
  const sorted = [...transcripts].sort((one, other) => other.files - one.files)
  const byAgent = sorted.map(({ title, files }) => `${counted(files, 'file')} of ${title}`)
  return listOr(byAgent, 'none found')
}

function listOr(all: string[], nothing: string): string {
  const rest = all.length - NAMED_MAX
  const shown = all.slice(0, NAMED_MAX).join(', ')
  return all.length === 0 ? nothing : `${shown}${rest > 0 ? ` and ${rest} more` : ''}`
}
