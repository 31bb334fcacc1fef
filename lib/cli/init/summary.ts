import { diffLines } from 'diff'
import { type Change, type InitPlan, shownPath } from '../../init/index.js'
import { counted, oneLine } from '../../text/printable.js'
import { indent, type Page } from '../page/page.js'
import { flexible, table } from '../page/table.js'

const PATH_MAX = 40
const COLUMNS = ['file', 'what', flexible('why')]

/** Renders the plan as a table: each file, its change, and the reason. */
export function summaryOf(plan: InitPlan, page: Page): string {
  const rows = plan.changes.map((change) => [oneLine(inColumn(change.path)), whatOf(change), oneLine(change.why)])
  if (plan.mergeDriver !== 'none') {
    rows.push(['.git/config', `merge driver ${plan.mergeDriver}`, 'git merges memory files by record'])
  }
  return [table(page, COLUMNS, rows), replacedIn(plan, page), lacksIn(plan, page)]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** A long path without its middle: the reason has the room. */
function inColumn(path: string): string {
  const shown = shownPath(path)
  const parts = shown.split('/')
  return shown.length <= PATH_MAX ? shown : [...parts.slice(0, 2), '\u2026', ...parts.slice(-1)].join('/')
}

function whatOf({ before, after }: Change): string {
  if (after === undefined) return 'removed'
  if (before === undefined) return `new, ${counted(linesIn(after), 'line')}`
  const parts = diffLines(before, after)
  const count = (side: 'added' | 'removed') =>
    parts.reduce((sum, part) => (part[side] ? sum + (part.count ?? 0) : sum), 0)
  return `changed, +${count('added')} -${count('removed')}`
}

const linesIn = (text: string) => text.replace(/\n$/, '').split('\n').length

/** Entries of other tools at the places of ours. */
function replacedIn({ replaces }: InitPlan, page: Page): string {
  if (replaces.length === 0) return ''
  const why =
    'These settings, written by something else, conflict with entries of forge-memory, or add arguments and variables to them. A copy is kept, and init --remove restores it:'
  const lines = replaces.map(({ path, text }) => indent(`${shownPath(path)}: ${oneLine(text)}`, 2, page))
  return [page.paint('warning', why), ...lines].join('\n')
}

/** Names the limits of agents, and the steps that they require. */
export function lacksIn({ lacks }: InitPlan, page: Page): string {
  return lacks.map(({ title, text }) => page.wrap(`${title}: ${text}.`, page.width)).join('\n')
}

/** Tells the outcome and the next steps; the table of files has been shown. */
export function outcomeOf(plan: InitPlan, page: Page): string {
  const { changes, mergeDriver, replaces, isRemoval } = plan
  const files = counted(changes.length, 'file')
  const how = '--diff shows every line, --dry-run before anything is written'
  const lines = changes.length === 0 ? [] : [isRemoval ? `Removed from ${files}.` : `Written: ${files}; ${how}.`]
  if (mergeDriver !== 'none') lines.push(`git: the merge driver "forge-memory" was ${mergeDriver}.`)
  for (const { path } of replaces) lines.push(`${shownPath(path)}: what was there is kept; init --remove restores it.`)
  const done = lines.map((line) => page.wrap(line, page.width)).join('\n')
  return isRemoval || changes.length === 0 ? done : `${done}\n\n${nextSteps(plan, page)}`
}

function nextSteps({ scope }: InitPlan, page: Page): string {
  const steps = [
    ['Restart your agents', 'they read these files when they start'],
    ['forge-memory doctor --agents', 'checks that each of them can start it'],
    ['forge-memory backfill', 'learns from what they did before'],
    ['forge-memory dashboard', 'shows the memory in the browser'],
    [`forge-memory init --remove${scope === 'user' ? ' --scope user' : ''}`, 'undoes this'],
  ] as const
  const width = Math.max(...steps.map(([step]) => step.length)) + 2
  const lines = steps.map(([step, what]) => `  ${step.padEnd(width)}${page.paint('quiet', what)}`)
  return `${page.paint('strong', 'Next')}\n${lines.join('\n')}`
}
