// What an agent is told before and during a piece of work: hints of a plan, the project's keywords, blocks of a prompt.
import {
  buildPlanBootContext as engineContext,
  buildWatcherSearchPrompt as enginePrompt,
  keywordMap,
  memoryStatus,
} from '../native.js'
import { readSettings } from '../openbrain/settings.js'
import { asLine } from '../shared/line.js'
import { readText } from './folder.js'
import { type Fields, fieldsIn, listIn, softly, textIn, warn } from './soft.js'

export type PlanBootContext = ReturnType<typeof engineContext>

/** Returns the questions that a plan raises, its own history first. Tolerates a plan that is none. */
export function buildPlanBootContext(
  plan: unknown,
  projectName?: string | null,
  { maxHints = 8, cwd = process.cwd() }: { maxHints?: number; cwd?: string } = {},
): PlanBootContext {
  const name = textIn(fieldsIn(plan).name) ?? textIn(fieldsIn(plan).planName) ?? textIn(plan)
  const slices = listIn(fieldsIn(plan).slices).flatMap((slice) => textIn(fieldsIn(slice).title) ?? textIn(slice) ?? [])
  const project = textIn(projectName)
  const empty = { _v: 1, projectName: project ?? '', planName: name ?? '', hints: [] }
  if (name === undefined && slices.length === 0) return empty
  return softly(
    () => engineContext({ name: name ?? 'plan', slices }, project, { maxHints, projectDir: cwd }),
    () => empty,
  )
}

/** Composes what asks an agent to look up an anomaly; empty without its code or a project. */
export function buildWatcherSearchPrompt(anomaly: unknown, projectName?: string | null): string {
  const [code, project] = [textIn(fieldsIn(anomaly).code), textIn(projectName)]
  if (code === undefined || project === undefined) return ''
  return softly(
    () => enginePrompt({ code }, project),
    () => '',
  )
}

export interface KeywordSearch {
  pattern: RegExp
  query: string
}

/** Lists which words ask which question in a project: `openbrain.keywordMap`, or the built-in map. */
export function loadKeywordSearchMap(cwd: string = process.cwd()): KeywordSearch[] {
  const entries = softly(
    () => keywordMap({ projectDir: cwd }),
    () => [],
  )
  return entries.flatMap(({ pattern, flags, query }) =>
    softly<KeywordSearch[]>(
      // A pattern with state would match every other time only.
      () => [{ pattern: new RegExp(pattern, flags.replace(/[gy]/g, '')), query }],
      ({ message }) => {
        warn(`openbrain.keywordMap: ${message}`)
        return []
      },
    ),
  )
}

/** Tells whether the project sets a shared store, or an MCP client of it names an OpenBrain server. */
export function isOpenBrainConfigured(cwd: string = process.cwd()): boolean {
  const named = ['.vscode/mcp.json', '.claude/mcp.json', '.mcp.json'].some((path) =>
    /open-?brain/i.test(readText(cwd, path) ?? ''),
  )
  return (
    named ||
    softly(
      () => readSettings(cwd).target.backend !== 'embedded' || hasOwnUrl(cwd),
      () => true,
    )
  )
}

/** `"openbrain": {"url": "file"}` sets the embedded store on purpose. */
function hasOwnUrl(cwd: string): boolean {
  const settings = softly<unknown>(
    () => JSON.parse(readText(cwd, '.forge.json') ?? '{}'),
    () => ({}),
  )
  return textIn(fieldsIn(fieldsIn(settings).openbrain).url) !== undefined
}

const LEADS = [
  { path: 'README.md', lines: 50 },
  { path: 'ARCHITECTURE.md', lines: 80 },
  { path: 'CONTRIBUTING.md', lines: 30 },
]

/** Composes what to know of a project before a slice: the first lines of its documents, and the questions of the title. */
export function loadProjectContext(cwd: string, projectName: string, title?: string): string {
  const documents = LEADS.flatMap(({ path, lines }) => {
    const text = readText(cwd, path)
    return text === undefined ? [] : [`## ${path}\n\n${text.split('\n').slice(0, lines).join('\n')}`]
  })
  const queries = queriesOf(title ?? '', cwd).map((query) => searchLine(query, projectName))
  const searches = queries.length === 0 ? [] : [`## Search first\n\n${queries.join('\n')}`]
  return [...documents, ...searches].join('\n\n')
}

function queriesOf(title: string, cwd: string): string[] {
  const found = loadKeywordSearchMap(cwd).filter(({ pattern }) => pattern.test(title))
  return [...new Set(found.map(({ query }) => query))]
}

function searchLine(query: string, project: string, type?: string): string {
  const what = { query, project, limit: 5, ...(type === undefined ? {} : { type }) }
  return `- search_thoughts(${JSON.stringify(what)})`
}

/** Composes what asks an agent to search before it works on a slice. */
export function buildMemorySearchBlock(projectName: string, slice: unknown): string {
  const title = asLine(textIn(fieldsIn(slice).title) ?? textIn(slice) ?? 'this slice')
  return [
    '--- MEMORY: SEARCH BEFORE YOU START ---',
    'Ask the shared memory what is known already, and treat the answers as notes to check:',
    searchLine(title, projectName),
    searchLine(title, projectName, 'convention'),
    '--- END MEMORY ---',
    '',
  ].join('\n')
}

/** Composes what asks an agent to capture what it has learned in a slice. */
export function buildMemoryCaptureBlock(projectName: string, slice: Fields, planName?: string): string {
  const { number, title } = fieldsIn(slice)
  const capture = {
    content: '<what you decided or learned, one thought a call>',
    project: projectName,
    source: `plan-forge-orchestrator/${textIn(planName) ?? 'plan'}/slice-${number ?? '0'}`,
    created_by: 'gh-copilot-worker',
  }
  return [
    '--- MEMORY: CAPTURE WHAT YOU LEARN ---',
    `After "${asLine(textIn(title) ?? 'this slice')}", store decisions, gotchas and conventions that outlive it:`,
    `- capture_thought(${JSON.stringify(capture)})`,
    '--- END MEMORY ---',
    '',
  ].join('\n')
}

/** The name under which a project's thoughts are stored. */
export function projectNameOf(cwd: string): string {
  return softly(
    () => memoryStatus({ projectDir: cwd }).projectName,
    () => 'plan-forge',
  )
}
