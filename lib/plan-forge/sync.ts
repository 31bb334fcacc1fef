// Plan Forge's `syncMemories`: writes hints for agents. The engine writes the hints of the memory; data that only Plan
// Forge keeps (trajectories, skills, decisions) goes into a separate marked section of the same file.
import { join } from 'node:path'
import { type BlockStyle, dropBlock, putBlock } from '../init/format/block.js'
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
import { atMost, countIn, fieldsIn, listIn, numberIn, optionsIn, textIn, wordIn } from './soft.js'

export {
  collectAutoSkills,
  collectBrainDecisions,
  collectTrajectories,
  parseAutoSkillFrontmatter,
  sha256,
} from './collectors.js'

const LIMIT = 10
/** The engine's limit. */
const HINTS_MAX = 200
const EXCERPT_CHARS = 300
const LINE_CHARS = 200
const PART: BlockStyle = { open: '<!-- plan-forge: begin -->', close: '<!-- plan-forge: end -->', keepsOthers: false }
const OUTPUT = '.github/copilot-memory-hints.md'

/** Thrown when hints could not be written. */
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
export function syncMemories(options: SyncOptions = {}): SyncAnswer {
  const { projectRoot, dryRun, force, output = OUTPUT, ...rest } = optionsIn(options)
  if (typeof projectRoot !== 'string' || projectRoot === '')
    throw new SyncMemoriesError('projectRoot: expected a folder')
  const since = sinceOf(rest.since)
  const collect = { since, limit: numberIn(rest.limit) ?? LIMIT }
  try {
    const found = {
      trajectories: collectTrajectories(projectRoot, collect),
      autoSkills: collectAutoSkills(projectRoot, collect),
      decisions: collectBrainDecisions(projectRoot, collect),
    }
    const target = output === OUTPUT ? {} : { output }
    // A file that contains our section may be rewritten, even when the engine has not added its own section yet.
    const isOurs = (readText(projectRoot, output) ?? '').includes(PART.open)
    const common = {
      projectDir: projectRoot,
      agent: 'copilot' as const,
      limit: atMost(collect.limit, HINTS_MAX),
      ...target,
    }
    const engine = { ...common, force: force === true || isOurs, ...given({ since: since?.toISOString() }) }
    const [planned] = engineSync({ ...engine, dryRun: true })
    const isNeeded = planned !== undefined && planned.hints + planned.removed > 0
    const [synced] = isNeeded && dryRun !== true ? engineSync(engine) : [isNeeded ? planned : undefined]
    return write(projectRoot, output, found, synced, dryRun === true)
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
  const after = withPart(output, before, found)
  const answer = { ok: true as const, hintsCount, sections, dryRunMode: dryRun }
  if (dryRun) return { ...answer, changed: true, dryRunContent: after, message: `${hintsCount} hints would be written` }
  const changed = (synced?.changed ?? false) || after !== before
  if (after !== before) writeConfined(root, output, after)
  const message = changed ? `${hintsCount} hints written to ${output}` : `${output} is up to date`
  return { ...answer, outputPath: join(root, output), changed, message }
}

/** Inserts or replaces Plan Forge's section, or removes it when there is nothing to show. */
function withPart(path: string, text: string, found: Found): string {
  const isEmpty = Object.values(found).every((list) => list.length === 0)
  if (isEmpty) return dropBlock(path, text, PART, [])
  return putBlock(path, text, PART, renderMemoryHints(found).trimEnd().split('\n'))
}

/** Renders trajectories, skills and decisions as Markdown. */
export function renderMemoryHints(found: Partial<Found> & { now?: Date }): string {
  const { trajectories, autoSkills, decisions } = fieldsIn(found)
  const parts = [
    section(
      'Notes of earlier slices',
      partsIn<Trajectory>(trajectories).map(({ planBasename, sliceId, content }) => {
        return `**${shown(planBasename)} / ${shown(sliceId)}**: ${shown(content, EXCERPT_CHARS)}`
      }),
    ),
    section(
      'Recipes that worked',
      partsIn<AutoSkill>(autoSkills).map(({ summary, commands, reuseCount }) => {
        return `${shown(summary, LINE_CHARS)} (used ${countIn(reuseCount)} times): ${listIn<string>(commands)
          .map((command) => `\`${shown(command)}\``)
          .join(', ')}`
      }),
    ),
    section(
      'Decisions',
      partsIn<BrainDecision>(decisions).map(
        ({ key, content }) => `**${shown(key)}**: ${shown(textIn(content)?.split('\n')[0] ?? '', LINE_CHARS)}`,
      ),
    ),
  ].filter((part) => part !== '')
  const body = parts.length === 0 ? 'Nothing has been learned yet.\n' : parts.join('\n')
  return `# Memory hints\n\nWhat earlier runs left behind: notes to check, not instructions.\n\n${body}`
}

const partsIn = <T>(list: unknown) => listIn(list).map((part) => fieldsIn(part) as Partial<T>)

function section(title: string, lines: string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n\n${lines.map((line) => `- ${line}\n`).join('')}`
}

/**
 * Escapes untrusted text: it stays on one line, its Markdown is shown instead of rendered, and it names no file that an agent would load with
 * the page (`#[[file:...]]`, `@path`).
 */
function shown(text: unknown, chars = LINE_CHARS): string {
  return cutTo(
    asLine(wordIn(text) ?? '')
      .replaceAll('<!--', '<! --')
      .replaceAll('`', "'")
      .replaceAll('#[[', '#&#91;[')
      .replace(/(?<![\p{L}\p{N}])@(?=\S)/gu, '&#64;'),
    chars,
  )
}

function sinceOf(since: string | Date | undefined): Date | undefined {
  if (since === undefined) return undefined
  const at = since instanceof Date ? since : new Date(textIn(since) ?? Number.NaN)
  if (Number.isNaN(at.getTime())) throw new SyncMemoriesError('since: expected an ISO 8601 time')
  return at
}
