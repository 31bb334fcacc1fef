/** Setting a project up for its agents, and undoing that. */
import { isDeepStrictEqual } from 'node:util'
import { AGENTS, type AgentName, editsFor, findAgents } from './agents.js'
import { type Change, checkUnchanged, emptyFoldersAbove, placeOf, readOurs, readText, writeChanges } from './change.js'
import { type DriverSettings, isByInit, readDriver, understandDriver, wantedDriver, writeDriver } from './driver.js'
import type { Edit } from './edits.js'
import { findProgram, type Program, programNote } from './launch.js'
import { refusal } from './refusal.js'
import { Originals } from './undo.js'

export { diagnoseSetup, type SetupFinding } from './health.js'
export { AGENTS, type AgentName, type Change, findAgents }

/** What would be written. */
export interface InitPlan {
  project: string
  agents: AgentName[]
  changes: Change[]
  /** An entry of another tool in the place of ours: `init` replaces it, and its removal restores it. */
  replaces: Replacement[]
  /** A setting of the checkout, which is no file that one commits. */
  mergeDriver: 'set' | 'unset' | 'restored' | 'none'
  /** What to know about the plan. */
  notes: string[]
  isRemoval: boolean
}

/** An entry that is not ours, as it is written. */
export interface Replacement {
  path: string
  text: string
}

/** Edits of one file. Two paths may lead to the same one. */
interface Target {
  path: string
  edits: Edit[]
}

/** Plans what to write for these agents; writes nothing. Throws for a file that cannot be edited without loss. */
export function planInit(project: string, agents: AgentName[]): InitPlan {
  const program = findProgram(project)
  const changes: Change[] = []
  const replaces: Replacement[] = []
  for (const target of targetsIn(project, editsFor(agents, program))) {
    const before = readText(project, target.path)
    const after = putAll(target, before ?? '', replaces)
    if (after !== before) changes.push({ path: target.path, before, after })
  }
  const driver = planDriver(project, program)
  if (driver.foreign !== undefined) replaces.push({ path: '.git/config', text: driver.foreign })
  const note = programNote(program)
  const isChanging = changes.length > 0 || driver.mergeDriver !== 'none'
  const notes = note !== undefined && isChanging ? [note] : []
  return { project, agents, changes, replaces, mergeDriver: driver.mergeDriver, notes, isRemoval: false }
}

/** Plans how to take out exactly what was put in, for all agents. */
export function planRemoval(project: string): InitPlan {
  const originals = new Originals(project)
  const changes = targetsIn(project, editsFor(AGENTS, findProgram(project))).flatMap((target) => {
    const before = readOurs(project, target.path)
    if (before === undefined) return []
    const after = originals.of(target.path, before) ?? dropAll(target, before, originals)
    return after === before ? [] : [{ path: target.path, before, after }]
  })
  const line = readDriver(project)?.driver
  const isOurs = line !== undefined && understandDriver(line).isOurs
  const mergeDriver = !isOurs ? 'none' : originals.driver === undefined ? 'unset' : 'restored'
  return { project, agents: AGENTS, changes, replaces: [], mergeDriver, notes: [], isRemoval: true }
}

/** Does what a plan says. */
export function applyPlan(plan: InitPlan): void {
  const { project, changes, mergeDriver, isRemoval } = plan
  const originals = new Originals(project)
  checkUnchanged(project, changes)
  if (isRemoval) {
    writeChanges(project, changes, originals.folders)
    if (mergeDriver !== 'none') writeDriver(project, originals.driver ?? {})
    originals.clear()
    return
  }
  keepOriginals(plan, originals)
  writeChanges(project, changes)
  if (mergeDriver === 'set') writeDriver(project, wantedDriver(findProgram(project), project))
}

function planDriver(project: string, program: Program): Pick<InitPlan, 'mergeDriver'> & { foreign?: string } {
  const known = readDriver(project)
  if (known === undefined || isDeepStrictEqual(known, wantedDriver(program, project))) return { mergeDriver: 'none' }
  return isForeign(known) ? { mergeDriver: 'set', foreign: known.driver as string } : { mergeDriver: 'set' }
}

function isForeign({ driver }: DriverSettings): boolean {
  return driver !== undefined && !understandDriver(driver).isOurs
}

/** Groups edits by the file that they end up in. */
function targetsIn(project: string, edits: Edit[]): Target[] {
  const targets = new Map<string, Target>()
  for (const edit of edits) {
    const place = placeOf(project, edit.path)
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
  for (const edit of [...edits].reverse()) text = edit.drop(text ?? '', originals?.earlier(path, edit.path))
  return text
}

/** Keeps what the texts of the files alone do not lead back to. */
function keepOriginals(plan: InitPlan, originals: Originals): void {
  const { project, agents, changes, replaces } = plan
  const targets = new Map(targetsIn(project, editsFor(agents, findProgram(project))).map((each) => [each.path, each]))
  for (const { path, before, after } of changes) {
    if (before === undefined) originals.keepFolders(emptyFoldersAbove(project, path))
    const target = targets.get(path)
    if (target === undefined || before === undefined || after === undefined) originals.forget(path)
    else keepOriginal(originals, target, before, after)
  }
  for (const { path, text } of replaces) originals.keepForeign(path, text)
  const driver = readDriver(project)
  if (plan.mergeDriver === 'set' && driver?.driver !== undefined && !isByInit(driver)) originals.keepDriver(driver)
  try {
    if (originals.isEmpty) originals.clear()
    else originals.save()
  } catch (error) {
    // Then files could only be undone by their text, and entries of others could not be restored.
    if (replaces.length === 0) return
    const why = `contains an entry of something else, which could not be saved for init --remove: ${(error as Error).message}`
    throw refusal(replaces[0]?.path ?? '', why, 'make ~/.forge (or FORGE_HOME) writable; nothing was written', 'IO')
  }
}

function keepOriginal(originals: Originals, target: Target, before: string, after: string): void {
  const earlier = originals.of(target.path, before)
  const isUntouched = dropAll(target, before) === before
  const original = earlier ?? (isUntouched ? before : undefined)
  if (original === undefined || dropAll(target, after) === original) originals.forget(target.path)
  else originals.keep(target.path, original, after)
}
