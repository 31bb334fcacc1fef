import { type Command, Option } from 'commander'
import type { AgentName, Change, InitPlan } from '../../init/index.js'
import { findProject } from '../../native.js'
import { oneLine, printable } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { confirmed } from '../confirm.js'
import { painterFor } from '../page/page.js'

interface Flags {
  agent?: AgentName | 'all'
  remove?: boolean
  dryRun?: boolean
  yes?: boolean
}

export function configure(command: Command, respond: Respond): void {
  command
    .addOption(
      new Option('--agent <agent>', 'for this agent (default: those that the project uses)').choices([
        'claude',
        'cursor',
        'copilot',
        'all',
      ]),
    )
    .option('--remove', 'remove what init has written')
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('--yes', 'do not ask')
    .action(respond((project, flags: Flags) => setUp(findProject(project), flags)))
}

async function setUp(project: string, flags: Flags): Promise<Answer> {
  const { AGENTS, applyPlan, findAgents, planInit, planRemoval } = await import('../../init/index.js')
  const found = findAgents(project)
  const wanted = flags.agent === undefined ? found : flags.agent === 'all' ? AGENTS : [flags.agent]
  if (wanted.length === 0 && !flags.remove) {
    const text = 'No agent was found in this project. Name one: forge-memory init --agent claude|cursor|copilot|all'
    return { document: { agents: [], changes: [], written: false }, text: () => text, exitCode: 1 }
  }
  const plan = flags.remove ? planRemoval(project) : planInit(project, wanted)
  const { agents, changes, mergeDriver, replaces, notes } = plan
  const document = { agents, changes, mergeDriver, replaces, notes }
  if (changes.length === 0 && mergeDriver === 'none') {
    const text = flags.remove ? 'forge-memory is not set up here.' : `Already set up for ${wanted.join(', ')}.`
    return { document: { ...document, written: false }, text: () => text }
  }
  const shown = await describe(plan)
  if (flags.dryRun) return { document: { ...document, written: false }, text: () => shown, warnings: notes }
  if (!flags.yes && !(await confirmed(`${shown}\n\n${question(plan)}`, 'writes'))) {
    return { document: { ...document, written: false }, text: () => 'Nothing was written.', exitCode: 1 }
  }
  applyPlan(plan)
  const done = outcome(plan)
  return {
    document: { ...document, written: true },
    text: () => (flags.yes ? `${shown}\n\n${done}` : done),
    warnings: notes,
  }
}

function question({ replaces }: InitPlan): string {
  const others = replaces.map(({ path, text }) => `${path}: ${oneLine(text)}`)
  const about = [
    'These settings, written by something else, conflict with entries of forge-memory. A copy is kept, and init --remove restores it:',
    ...others.map((each) => `  ${each}`),
    '',
  ]
  return [...(others.length > 0 ? about : []), "Type 'yes' to write this:"].join('\n')
}

/** Says what was done, and only that. */
function outcome({ changes, mergeDriver, replaces, isRemoval }: InitPlan): string {
  const paths = changes.map(({ path }) => path).join(', ')
  const lines = paths === '' ? [] : [isRemoval ? `Removed from ${paths}` : `Written: ${paths}`]
  if (mergeDriver !== 'none') lines.push(`git: the merge driver "forge-memory" was ${mergeDriver}.`)
  for (const { path } of replaces) lines.push(`${path}: what was there is kept; init --remove restores it.`)
  if (!isRemoval && paths !== '')
    lines.push('Restart the agent, so that it reads them. forge-memory init --remove undoes this.')
  return lines.join('\n')
}

async function describe({ changes, mergeDriver, project }: InitPlan): Promise<string> {
  const { createTwoFilesPatch } = await import('diff')
  const paint = painterFor(1)
  const parts = changes.map(({ path, before, after }: Change) => {
    const from = before === undefined ? '/dev/null' : `a/${path}`
    const to = after === undefined ? '/dev/null' : `b/${path}`
    const patch = createTwoFilesPatch(from, to, before ?? '', after ?? '', undefined, undefined, { context: 3 })
    return printable(patch)
      .split('\n')
      .slice(1)
      .map((line) => {
        if (/^(\+\+\+|---)/.test(line)) return paint('bold', line)
        return line.startsWith('+') ? paint('green', line) : line.startsWith('-') ? paint('red', line) : line
      })
      .join('\n')
      .trimEnd()
  })
  if (mergeDriver !== 'none')
    parts.push(`git: the merge driver "forge-memory" will be ${mergeDriver} in the settings of ${project}`)
  return parts.join('\n\n')
}
