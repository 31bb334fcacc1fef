import { type Command, Option } from 'commander'
import { AGENTS } from '../../init/host.js'
import type { AgentName, InitPlan, Scope } from '../../init/index.js'
import { findProject } from '../../native.js'
import { type Answer, type CommandEntry, calledOff, type Respond } from '../command.js'
import { confirmed } from '../confirm.js'
import { write } from '../page/output.js'
import { openPage, type Page } from '../page/page.js'
import { isTerminal } from '../page/terminal.js'

export const entry: CommandEntry = {
  group: 'daily',
  summary: 'set up MCP, hooks and git for your agents',
  examples: ['forge-memory init', 'forge-memory init --agent claude --dry-run'],
}

interface Flags {
  agent?: (AgentName | 'all')[]
  scope?: Scope
  remove?: boolean
  instructions: boolean
  diff?: boolean
  dryRun?: boolean
  yes?: boolean
}

export function configure(command: Command, respond: Respond): void {
  command
    .addOption(
      new Option(
        '--agent <names...>',
        'for these agents (default: chosen on a terminal; else those that the project uses, and those on this machine)',
      ).choices([...AGENTS, 'all']),
    )
    .addOption(
      new Option(
        '--scope <scope>',
        'user: for you, in all your projects; project: for all clones of this one (default: asked on a terminal, else user)',
      ).choices(['user', 'project']),
    )
    .option('--no-instructions', 'leave the files that tell agents what to do (CLAUDE.md, AGENTS.md, ...) as they are')
    .option('--remove', 'remove what init has written')
    .option(
      '--diff',
      'show every line that changes, below the table of files (default without --yes, where there is no terminal)',
    )
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('--yes', 'do not ask')
    .action(respond((project, flags: Flags) => setUp(findProject(project), flags)))
}

async function setUp(project: string, asked: Flags): Promise<Answer> {
  const { applyPlan, HOSTS, planInit, planRemoval, unclearTrace } = await import('../../init/index.js')
  const { summaryOf, lacksIn, outcomeOf } = await import('../init/summary.js')
  const scope = await scopeFor(project, asked)
  if (scope === undefined) return nothingWritten({ agents: [], changes: [] })
  const flags = { ...asked, scope }
  const wanted = await agentsFor(project, flags)
  if (wanted === undefined) return nothingWritten({ agents: [], changes: [] })
  const unclear = flags.agent === undefined && !flags.remove ? unclearTrace(project, scope) : undefined
  if (wanted.length === 0 && !flags.remove) return noAgent(unclear)
  const skips = flags.instructions ? undefined : 'instructions'
  const plan = flags.remove ? planRemoval(project, scope) : planInit(project, wanted, scope, skips)
  if (unclear !== undefined) plan.notes.push(unclear)
  const { agents, changes, mergeDriver, replaces, notes, lacks } = plan
  const document = { scope, agents, changes, mergeDriver, replaces, notes, lacks }
  if (changes.length === 0 && mergeDriver === 'none') {
    const isAny = wanted.some(
      (agent) => HOSTS[agent].server[scope] !== undefined || HOSTS[agent].texts[scope] !== undefined,
    )
    const already = `${isAny ? 'Already set up' : 'Nothing to write'} for ${wanted.join(', ')}.`
    const text = (page: Page) =>
      flags.remove ? 'forge-memory is not set up here.' : `${already}\n${lacksIn(plan, page)}`
    return { document: { ...document, written: false }, text, warnings: notes }
  }
  const isAsked = flags.dryRun || !flags.yes
  const shown = await planShown(plan, summaryOf, flags.diff || (isAsked && !isInteractive()))
  if (flags.dryRun) return { document: { ...document, written: false }, text: shown, warnings: notes }
  if (!flags.yes && !(await isConfirmed(plan, shown, flags))) return nothingWritten(document)
  applyPlan(plan)
  return {
    document: { ...document, written: true },
    text: (page) => (flags.yes ? `${shown(page)}\n\n${outcomeOf(plan, page)}` : outcomeOf(plan, page)),
    warnings: notes,
  }
}

const isInteractive = () => isTerminal(0) && isTerminal(1) && !process.argv.includes('--json')

/** Returns for whom it is set up; undefined when the user leaves the question. A removal: where it was written. */
async function scopeFor(project: string, flags: Flags): Promise<Scope | undefined> {
  const { scope, remove, dryRun, yes } = flags
  if (scope !== undefined) return scope
  if (remove) {
    const { changes, mergeDriver, notes } = (await import('../../init/index.js')).planRemoval(project, 'project')
    return changes.length + notes.length === 0 && mergeDriver === 'none' ? 'user' : 'project'
  }
  if (dryRun || yes || !isInteractive()) return 'user'
  const { pickOne } = await import('../page/picker.js')
  return pickOne('For whom should it be set up?', [
    { value: 'user', label: 'For me', hint: 'in my own settings, for all my projects' },
    { value: 'project', label: 'For all clones of this project', hint: 'in files that are committed' },
  ])
}

/** Returns the agents to write for; undefined when the user leaves the list of them. */
async function agentsFor(project: string, flags: Flags & { scope: Scope }): Promise<AgentName[] | undefined> {
  const { agent, scope, remove, dryRun, yes } = flags
  if (agent !== undefined) return agent.includes('all') ? [...AGENTS] : [...new Set(agent as AgentName[])]
  if (remove || dryRun || yes || !isInteractive())
    return (await import('../../init/index.js')).findAgents(project, scope)
  return (await import('../init/agents.js')).pickAgents(project, scope)
}

/** Asks on a terminal. The diff is one key away. */
async function isConfirmed(plan: InitPlan, shown: (page: Page) => string, { diff }: Flags): Promise<boolean> {
  const page = await openPage(1)
  if (!isInteractive()) return confirmed(`${shown(page)}\n\nWrite this? (y/n)`, 'writes')
  write(1, `${shown(page)}\n\n`)
  const { pickOne } = await import('../page/picker.js')
  const question = plan.isRemoval ? 'Remove this?' : 'Write this?'
  let isDiffShown = diff === true
  for (;;) {
    const diffChoice = { value: 'diff', label: 'Show every line that changes first' } as const
    const answer = await pickOne(question, [
      { value: 'yes', label: 'Yes' },
      ...(isDiffShown ? [] : [diffChoice]),
      { value: 'no', label: 'No, change nothing' },
    ])
    if (answer !== 'diff') return answer === 'yes'
    const { diffOf } = await import('../init/diff.js')
    write(1, `\n${diffOf(plan.changes, page)}\n\n`)
    isDiffShown = true
  }
}

/** Returns the rendered plan, shown before anything is written. */
async function planShown(
  plan: InitPlan,
  summaryOf: (plan: InitPlan, page: Page) => string,
  isDiffWanted: boolean,
): Promise<(page: Page) => string> {
  if (!isDiffWanted || plan.changes.length === 0) return (page) => summaryOf(plan, page)
  const { diffOf } = await import('../init/diff.js')
  return (page) => `${summaryOf(plan, page)}\n\n${diffOf(plan.changes, page)}`
}

function noAgent(unclear?: string): Answer {
  const text =
    'No agent was found here. Name one: forge-memory init --agent claude (or cursor, copilot, codex, ..., all)'
  const warnings = unclear === undefined ? [] : [unclear]
  return { document: { agents: [], changes: [], written: false }, text, warnings, exitCode: 1 }
}

function nothingWritten(document: object): Answer {
  return calledOff('Nothing was written.', { ...document, written: false })
}
