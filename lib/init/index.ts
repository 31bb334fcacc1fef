/** Sets a project up for its agents, and reverses that. */
import { isDeepStrictEqual } from 'node:util'
import {
  allEdits,
  editsFor,
  findAgents,
  findTraces,
  type PlannedEdit,
  type Site,
  siteOf,
  type Trace,
  unclearTrace,
} from './agents.js'
import { notDelivered } from './capabilities.js'
import { type Change, checkUnchanged, emptyFoldersAbove, placeOf, readOurs, readText, writeChanges } from './change.js'
import { type DriverSettings, isByInit, readDriver, understandDriver, wantedDriver, writeDriver } from './driver.js'
import { refusal } from './format/refusal.js'
import { keepHookCopy } from './hook-program.js'
import { AGENTS, type AgentName } from './host.js'
import { HOSTS } from './hosts.js'
import { type Program, programNote } from './launch.js'
import { rootOf, SCOPES, type Scope, shownPath } from './places.js'
import { type Part, purposeOf } from './purpose.js'
import { Originals } from './undo.js'

export { CAPABILITIES, MOMENTS } from './capabilities.js'
export { writeFormerNames } from './forge-file.js'
export { diagnoseSetup } from './health.js'
export { diagnoseHooks } from './hook-check.js'
export { diagnoseHosts } from './readiness.js'
export {
  AGENTS,
  type AgentName,
  type Change,
  findAgents,
  findTraces,
  HOSTS,
  SCOPES,
  type Scope,
  shownPath,
  type Trace,
  unclearTrace,
}

export interface InitPlan {
  project: string
  scope: Scope
  agents: AgentName[]
  changes: Change[]
  /** Entries of other tools that `init` replaces, and `--remove` restores. */
  replaces: Replacement[]
  /** The change of the merge driver, a setting of the checkout, which is not committed. */
  mergeDriver: 'set' | 'unset' | 'restored' | 'none'
  notes: string[]
  /** The limits of agents, and the steps that they require from their users. */
  lacks: Lack[]
  isRemoval: boolean
}

/** A limitation of an agent. */
export interface Lack {
  agent: AgentName
  title: string
  text: string
}

/** An entry of another tool, as its source text. */
export interface Replacement {
  path: string
  text: string
}

/** The edits of one file; several paths may lead to it. */
interface Target {
  path: string
  edits: PlannedEdit[]
}

/**
 * Plans the files to write for these agents, without writing any; `skips` is a part to leave as it is. Throws for a file that cannot be edited
 * without loss.
 */
export function planInit(project: string, agents: AgentName[], scope: Scope = 'project', skips?: Part): InitPlan {
  const site = siteOf(project, scope)
  const changes: Change[] = []
  const replaces: Replacement[] = []
  const edits = editsFor(agents, site).filter(({ part }) => part !== skips)
  for (const target of targetsIn(site, edits)) {
    const before = readText(rootOf(scope, project), target.path)
    const after = putAll(target, before ?? '', replaces)
    const isExecutable = target.edits.some((edit) => edit.isExecutable)
    const isChanged = after !== before && (before !== undefined || after !== '')
    const why = purposeOf(target.edits)
    if (isChanged) changes.push({ path: target.path, before, after, why, ...(isExecutable ? { isExecutable } : {}) })
  }
  const hasDriver = scope === 'project' && edits.length > 0
  const driver = hasDriver ? planDriver(project, site.program) : { mergeDriver: 'none' as const }
  if (driver.foreign !== undefined) replaces.push({ path: '.git/config', text: driver.foreign })
  const note = programNote(site.program)
  const isChanging = changes.length > 0 || driver.mergeDriver !== 'none'
  const notes = note !== undefined && isChanging && scope === 'project' ? [note] : []
  const { mergeDriver } = driver
  return {
    project,
    scope,
    agents,
    changes,
    replaces,
    mergeDriver,
    notes,
    lacks: lacksOf(agents, scope),
    isRemoval: false,
  }
}

/** Plans the exact reversal of `planInit`, for all agents. */
export function planRemoval(project: string, scope: Scope = 'project'): InitPlan {
  const site = siteOf(project, scope)
  const originals = originalsOf(site)
  const notes: string[] = []
  const changes = targetsIn(site, allEdits(site)).flatMap((target) => {
    const before = readOurs(rootOf(scope, project), target.path)
    if (before === undefined) return []
    const after = originals.of(target.path, before) ?? dropAll(target, before, originals)
    if (after === before && target.edits.some((edit) => edit.isWhole && edit.put(before) !== before))
      notes.push(`${shownPath(target.path)} is not as init writes it, and is kept; delete it if you do not need it`)
    return after === before ? [] : [{ path: target.path, before, after, why: 'removes what init has written' }]
  })
  const mergeDriver = scope === 'project' ? driverAfter(project, originals) : 'none'
  const nothing = { replaces: [], notes, lacks: [] }
  return { project, scope, agents: [...AGENTS], changes, mergeDriver, ...nothing, isRemoval: true }
}

function driverAfter(project: string, originals: Originals): InitPlan['mergeDriver'] {
  const line = readDriver(project)?.driver
  const isOurs = line !== undefined && understandDriver(line).isOurs
  if (!isOurs) return 'none'
  return originals.driver === undefined ? 'unset' : 'restored'
}

export function applyPlan(plan: InitPlan): void {
  const { project, scope, changes, mergeDriver, isRemoval } = plan
  const site = siteOf(project, scope)
  const root = rootOf(scope, project)
  const originals = originalsOf(site)
  checkUnchanged(root, changes)
  if (isRemoval) {
    writeChanges(root, changes, originals.folders)
    if (mergeDriver !== 'none') writeDriver(project, originals.driver ?? {})
    originals.clear()
    return
  }
  keepOriginals(plan, site, originals)
  if (editsFor(plan.agents, site).some(({ part }) => part === 'hooks')) keepHookCopy()
  writeChanges(root, changes)
  if (mergeDriver === 'set') writeDriver(project, wantedDriver(site.program, project))
}

/** The key for the originals of the user's own files, which belong to no project. */
function originalsOf({ project, scope }: Site): Originals {
  return new Originals(scope === 'project' ? project : '~')
}

function lacksOf(agents: AgentName[], scope: Scope): Lack[] {
  return agents.flatMap((agent) => {
    const { title, lacks } = HOSTS[agent]
    const missing = notDelivered(agent)
    const texts = [...(lacks[scope] ?? []), ...(missing === undefined ? [] : [missing])]
    return texts.map((text) => ({ agent, title, text }))
  })
}

function planDriver(project: string, program: Program): Pick<InitPlan, 'mergeDriver'> & { foreign?: string } {
  const known = readDriver(project)
  if (known === undefined || isDeepStrictEqual(known, wantedDriver(program, project))) return { mergeDriver: 'none' }
  return isForeign(known) ? { mergeDriver: 'set', foreign: known.driver as string } : { mergeDriver: 'set' }
}

function isForeign({ driver }: DriverSettings): boolean {
  return driver !== undefined && !understandDriver(driver).isOurs
}

/** Groups edits by the real file they change. */
function targetsIn({ project, scope }: Site, edits: PlannedEdit[]): Target[] {
  const targets = new Map<string, Target>()
  for (const edit of edits) {
    const place = placeOf(rootOf(scope, project), edit.path)
    const known = targets.get(place)
    if (known === undefined) targets.set(place, { path: edit.path, edits: [edit] })
    else known.edits.push(edit)
  }
  return [...targets.values()]
}

function putAll({ edits }: Target, before: string, replaces: Replacement[]): string {
  let text = before
  for (const edit of edits) {
    const foreign = edit.foreign(text)
    if (foreign !== undefined) replaces.push({ path: edit.path, text: foreign })
    text = edit.put(text)
  }
  return text
}

function dropAll({ path, edits }: Target, before: string, originals?: Originals): string | undefined {
  let text: string | undefined = before
  for (const edit of [...edits].reverse()) {
    const after: string | undefined = edit.drop(text ?? '', originals?.earlier(path, edit.path))
    // Several agents may need the same edit: a file that the first one emptied stays removed.
    text = text === undefined && after === '' ? undefined : after
  }
  return text
}

/** Saves originals that the texts of the files alone cannot restore. */
function keepOriginals(plan: InitPlan, site: Site, originals: Originals): void {
  const { project, agents, changes, replaces } = plan
  const root = rootOf(site.scope, project)
  const targets = new Map(targetsIn(site, editsFor(agents, site)).map((each) => [each.path, each]))
  for (const { path, before, after } of changes) {
    if (before === undefined) originals.keepFolders(emptyFoldersAbove(root, path))
    const target = targets.get(path)
    if (target === undefined || before === undefined || after === undefined) originals.forget(path)
    else keepOriginal(originals, target, before, after)
  }
  for (const { path, text } of replaces) originals.keepForeign(path, text)
  for (const { path, after } of changes) {
    if (after !== undefined && targets.get(path)?.edits.some((edit) => edit.isWhole)) originals.keepWritten(path, after)
  }
  const driver = readDriver(project)
  if (plan.mergeDriver === 'set' && driver?.driver !== undefined && !isByInit(driver)) originals.keepDriver(driver)
  try {
    if (originals.isEmpty) originals.clear()
    else originals.save()
  } catch (error) {
    // Without saved originals, a removal goes by the texts alone and cannot restore entries of other tools.
    if (replaces.length === 0) return
    const why = `contains an entry of something else, which could not be saved for init --remove: ${(error as Error).message}`
    throw refusal(replaces[0]?.path ?? '', why, 'make ~/.forge (or FORGE_HOME) writable; nothing was written', 'IO')
  }
}

function keepOriginal(originals: Originals, target: Target, before: string, after: string): void {
  // A file of ours as another release wrote it is no original.
  const isOurs = target.edits.some((edit) => edit.isWhole && edit.put(before) !== before)
  const earlier = originals.of(target.path, before)
  const isUntouched = dropAll(target, before) === before
  const original = isOurs ? undefined : (earlier ?? (isUntouched ? before : undefined))
  if (original === undefined || dropAll(target, after) === original) originals.forget(target.path)
  else originals.keep(target.path, original, after)
}
