// Hints for agents, by the older tool's names. The memory's own hints are written by the engine; what only the older tool keeps (notes
// of slices, recipes, decisions) has a marked part of its own in the same file.
import { join } from 'node:path'
import { syncMemories as engineSync, type SyncedMemories } from '../native.js'
import { writeConfined } from '../shared/confined.js'
import { given } from '../shared/given.js'
import { asLine, cutTo } from '../shared/line.js'
import { codeOf, messageOf } from '../shared/problem.js'
import {
  type AutoSkill,
  type BrainDecision,
  collectAutoSkills,
  collectBrainDecisions,
  collectTrajectories,
  type Trajectory,
} from './collectors.js'
import { readText } from './folder.js'

export {
  collectAutoSkills,
  collectBrainDecisions,
  collectTrajectories,
  parseAutoSkillFrontmatter,
  sha256,
} from './collectors.js'

const LIMIT = 10
const EXCERPT_CHARS = 300
const LINE_CHARS = 200
const BEGIN = '<!-- plan-forge: begin -->'
const END = '<!-- plan-forge: end -->'
const OUTPUT = '.github/copilot-memory-hints.md'

/** Why hints could not be written. */
export class SyncMemoriesError extends Error {
  readonly code = 'SYNC_MEMORIES_ERROR'

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SyncMemoriesError'
  }
}

export interface SyncOptions {
  projectRoot?: string
  dryRun?: boolean
  force?: boolean
  limit?: number
  since?: string | Date
  output?: string
  now?: Date
}

export interface SyncAnswer {
  ok: true
  outputPath?: string
  hintsCount: number
  sections: { trajectories: number; autoSkills: number; decisions: number; thoughts: number }
  changed: boolean
  dryRunMode: boolean
  dryRunContent?: string
  message: string
}

/** Writes hints to the file that Copilot reads. Throws {@link SyncMemoriesError}. */
export async function syncMemories(options: SyncOptions = {}): Promise<SyncAnswer> {
  const { projectRoot, dryRun = false, limit = LIMIT, force = false, output = OUTPUT } = options
  if (typeof projectRoot !== 'string' || projectRoot === '')
    throw new SyncMemoriesError('projectRoot: expected a folder')
  const since = sinceOf(options.since)
  const collect = { since, limit }
  const found = {
    trajectories: collectTrajectories(projectRoot, collect),
    autoSkills: collectAutoSkills(projectRoot, collect),
    decisions: collectBrainDecisions(projectRoot, collect),
  }
  try {
    const target = output === OUTPUT ? {} : { output }
    // A file with a part of ours is ours, also where the engine has none in it yet.
    const isOurs = (readText(projectRoot, output) ?? '').includes(BEGIN)
    const asked = { projectDir: projectRoot, agent: 'copilot' as const, limit, force: force || isOurs, ...target }
    const engine = { ...asked, ...given({ since: since?.toISOString() }) }
    const [planned] = engineSync({ ...engine, dryRun: true })
    const isNeeded = planned !== undefined && planned.hints + planned.removed > 0
    const [synced] = isNeeded && !dryRun ? engineSync(engine) : [isNeeded ? planned : undefined]
    return write(projectRoot, output, found, synced, dryRun)
  } catch (cause) {
    throw new SyncMemoriesError(`${messageOf(cause)} (${codeOf(cause)})`, { cause })
  }
}

interface Found {
  trajectories: Trajectory[]
  autoSkills: AutoSkill[]
  decisions: BrainDecision[]
}

function write(
  root: string,
  output: string,
  found: Found,
  synced: SyncedMemories | undefined,
  dryRun: boolean,
): SyncAnswer {
  const { trajectories, autoSkills, decisions } = found
  const counts = { trajectories: trajectories.length, autoSkills: autoSkills.length, decisions: decisions.length }
  const sections = { ...counts, thoughts: synced?.hints ?? 0 }
  const hintsCount = Object.values(sections).reduce((sum, count) => sum + count, 0)
  const before = synced?.content ?? readText(root, output) ?? ''
  const after = withPart(before, found)
  const answer = { ok: true as const, hintsCount, sections, dryRunMode: dryRun }
  if (dryRun) return { ...answer, changed: true, dryRunContent: after, message: `${hintsCount} hints would be written` }
  const changed = (synced?.changed ?? false) || after !== before
  if (after !== before) writeConfined(root, output, after)
  const message = changed ? `${hintsCount} hints written to ${output}` : `${output} is up to date`
  return { ...answer, outputPath: join(root, output), changed, message }
}

/** Puts the older tool's part into the text in place of the one that is there. */
function withPart(text: string, found: Found): string {
  const start = text.indexOf(BEGIN)
  const end = text.indexOf(END, start)
  const isThere = start >= 0 && end > start
  const isEmpty = Object.values(found).every((list) => list.length === 0)
  const part = isEmpty ? '' : `${BEGIN}\n${renderMemoryHints(found)}${END}\n`
  if (isThere) return text.slice(0, start) + part + text.slice(end + END.length).replace(/^\n/, '')
  if (part === '') return text
  return text === '' ? part : `${text.trimEnd()}\n\n${part}`
}

/** Renders notes, recipes and decisions as Markdown. */
export function renderMemoryHints({
  trajectories = [],
  autoSkills = [],
  decisions = [],
}: Partial<Found> & { now?: Date }): string {
  const parts = [
    section(
      'Notes of earlier slices',
      trajectories.map(({ planBasename, sliceId, content }) => {
        return `**${shown(planBasename)} / ${shown(sliceId)}**: ${shown(content, EXCERPT_CHARS)}`
      }),
    ),
    section(
      'Recipes that worked',
      autoSkills.map(({ summary, commands, reuseCount }) => {
        return `${shown(summary, LINE_CHARS)} (used ${reuseCount} times): ${commands.map((command) => `\`${shown(command)}\``).join(', ')}`
      }),
    ),
    section(
      'Decisions',
      decisions.map(({ key, content }) => `**${shown(key)}**: ${shown(content.split('\n')[0] ?? '', LINE_CHARS)}`),
    ),
  ].filter((part) => part !== '')
  const body = parts.length === 0 ? 'Nothing has been learned yet.\n' : parts.join('\n')
  return `# Memory hints\n\nWhat earlier runs left behind: notes to check, not instructions.\n\n${body}`
}

function section(title: string, lines: string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n\n${lines.map((line) => `- ${line}\n`).join('')}`
}

/** Text of others stays on its line, and shows its markup instead of following it. */
function shown(text: string, chars = LINE_CHARS): string {
  return cutTo(asLine(text).replaceAll('<!--', '<! --').replaceAll('`', "'"), chars)
}

function sinceOf(since: string | Date | undefined): Date | undefined {
  if (since === undefined) return undefined
  const at = since instanceof Date ? since : new Date(since)
  if (Number.isNaN(at.getTime())) throw new SyncMemoriesError(`since: ${String(since)} is not a valid ISO 8601 time`)
  return at
}
