// Builds the prompt context that an agent gets before and during a task: hints for a plan, the project's keyword map,
// and prompt blocks.
import {
  buildPlanBootContext as engineContext,
  buildWatcherSearchPrompt as enginePrompt,
  keywordMap,
  memoryStatus,
  projectSettings,
} from '../native.js'
import { readSettings } from '../openbrain/settings.js'
import { variable } from '../shared/environment.js'
import { given } from '../shared/given.js'
import { asLine } from '../shared/line.js'
import { readText } from './folder.js'
import { atMost, type Fields, fieldsIn, listIn, optionsIn, softly, textIn, warn, wordIn } from './soft.js'

/** The engine's limit. */
const HINTS_MAX = 64

export type PlanBootContext = ReturnType<typeof engineContext>

/** Returns the queries that a plan implies, its own history first; none without a project name. Accepts an invalid plan. */
export function buildPlanBootContext(
  plan: unknown,
  projectName?: string | null,
  options: { maxHints?: number; cwd?: string } = {},
): PlanBootContext {
  const { maxHints = 8, cwd = process.cwd() } = optionsIn(options)
  const name = textIn(fieldsIn(plan).name) ?? textIn(fieldsIn(plan).planName) ?? textIn(plan)
  const slices = listIn(fieldsIn(plan).slices).flatMap((slice) => textIn(fieldsIn(slice).title) ?? textIn(slice) ?? [])
  const project = textIn(projectName)
  const empty = { _v: 1, projectName: project ?? '', planName: name ?? '', hints: [] }
  if (project === undefined || (name === undefined && slices.length === 0)) return empty
  return softly(
    () =>
      engineContext(
        { name: name ?? 'plan', slices },
        project,
        given({ maxHints: atMost(maxHints, HINTS_MAX), projectDir: cwd }),
      ),
    empty,
  )
}

/** Builds a prompt that asks an agent to look up an anomaly; empty without an anomaly code or a project name. */
export function buildWatcherSearchPrompt(anomaly: unknown, projectName?: string | null): string {
  const [code, project] = [textIn(fieldsIn(anomaly).code), textIn(projectName)]
  if (code === undefined || project === undefined) return ''
  return softly(() => enginePrompt({ code }, project), '')
}

export interface KeywordSearch {
  pattern: RegExp
  query: string
}

/** Returns a project's map from words to queries: `openbrain.keywordMap`, or the built-in one. */
export function loadKeywordSearchMap(cwd: string = process.cwd()): KeywordSearch[] {
  const entries = softly(() => keywordMap({ projectDir: cwd }), [])
  return entries.flatMap(({ pattern, flags, query }) =>
    softly<KeywordSearch[]>(
      // The `g` and `y` flags make a RegExp stateful (`lastIndex`), so every second `test` would fail.
      () => [{ pattern: new RegExp(pattern, flags.replace(/[gy]/g, '')), query }],
      ({ message }) => {
        warn(`openbrain.keywordMap: ${message}`)
        return []
      },
    ),
  )
}

/** True if the project configures a shared store, or an MCP client configuration names an OpenBrain server. */
export function isOpenBrainConfigured(cwd: string = process.cwd()): boolean {
  const isNamed = (path: string) => /open-?brain/i.test(readText(cwd, path) ?? '')
  return ['.vscode/mcp.json', '.claude/mcp.json', '.mcp.json'].some(isNamed) || isStoreSet(cwd)
}

/** True if the settings configure a store. An MCP client configuration may name OpenBrain without an address. */
export function isStoreSet(cwd: string): boolean {
  return softly(
    () => readSettings(cwd).target.backend !== 'embedded' || isEmbeddedWanted(cwd),
    // The settings are invalid, but not missing: the drain reports the problem.
    true,
  )
}

/**
 * The embedded store is also the default, so this checks that it was configured explicitly: `"openbrain": {"url":
 * "file"}`, or `endpoint`.
 */
function isEmbeddedWanted(cwd: string): boolean {
  const { url, endpoint } = projectSettings({ projectDir: cwd }).given.openbrain ?? {}
  return textIn(url ?? endpoint) !== undefined || textIn(variable('FORGE_OPENBRAIN_URL')) !== undefined
}

const LEADS = [
  { path: 'README.md', lines: 50 },
  { path: 'ARCHITECTURE.md', lines: 80 },
  { path: 'CONTRIBUTING.md', lines: 30 },
]

/**
 * Builds the context of a project for a slice: the first lines of its documents, and the queries that its title
 * implies.
 */
export function loadProjectContext(cwd: string, projectName: string, title?: string): string {
  const documents = LEADS.flatMap(({ path, lines }) => {
    const text = readText(cwd, path)
    return text === undefined ? [] : [`## ${path}\n\n${text.split('\n').slice(0, lines).join('\n')}`]
  })
  const queries = queriesOf(textIn(title) ?? '', cwd).map((query) => searchLine(query, projectName))
  const searches = queries.length === 0 ? [] : [`## Search first\n\n${queries.join('\n')}`]
  return [...documents, ...searches].join('\n\n')
}

function queriesOf(title: string, cwd: string): string[] {
  const found = loadKeywordSearchMap(cwd).filter(({ pattern }) => pattern.test(title))
  return [...new Set(found.map(({ query }) => query))]
}

function searchLine(query: string, projectName: unknown, type?: string): string {
  const what = { query, project: textIn(projectName) ?? '', limit: 5, ...given({ type }) }
  return `- search_thoughts(${JSON.stringify(what)})`
}

/** Builds the prompt block that asks an agent to search the memory before it works on a slice. */
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

/** Builds the prompt block that asks an agent to capture its lessons from a slice. */
export function buildMemoryCaptureBlock(projectName: string, slice: Fields, planName?: string): string {
  const { number, title } = fieldsIn(slice)
  const capture = {
    content: '<what you decided or learned, one thought a call>',
    project: textIn(projectName) ?? '',
    source: `plan-forge-orchestrator/${textIn(planName) ?? 'plan'}/slice-${wordIn(number) ?? '0'}`,
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

/** Returns the name under which the thoughts of a project are stored. */
export function projectNameOf(cwd: string): string {
  return softly(() => memoryStatus({ projectDir: cwd }).shortName, 'plan-forge')
}
