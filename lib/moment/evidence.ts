// Retrieval at the point of action: records about what an agent is about to do. A record matches only if it names that very file, folder,
// symbol, command or failure; similarity alone is not enough.
import { findProject, type RecallHit, recall } from '../native.js'
import { commandsIn, filesOf, isAboutOtherArguments, namedWords, type SimpleCommand } from './command-line.js'
import { matchOf, queryOf, readFailure } from './failure.js'
import { mentionOf, namesOtherFiles, pathsIn, pathWithin, TEXT_READ_MAX } from './paths.js'
import { qualifiedNamesIn } from './qualified-names.js'
import { enclosingProject } from './scopes.js'
import { declares, namesIn, type Touched, touchedBy } from './symbols.js'

/** An action of an agent: it changes or reads files, runs a command, or a command failed. */
export type Action =
  | { kind: 'edit' | 'read'; paths: string[]; texts: string[] }
  | { kind: 'command'; line: string }
  | { kind: 'failure'; line: string; output: string }

export type EvidenceKind = 'file' | 'symbol' | 'caller' | 'folder' | 'command' | 'failure'

/** A record, and its evidence: why it is relevant to the action. */
export interface Known {
  hit: RecallHit
  kind: EvidenceKind
  /** The path, name, command or error code in the record. */
  why: string
}

/** The weight of each kind of evidence; within one kind, the type of the record decides. */
const RANKS: Record<EvidenceKind, number> = { failure: 6, file: 5, command: 4, symbol: 3, caller: 2, folder: 1 }
const TYPE_RANKS: Record<string, number> = {
  gotcha: 0.5,
  failure_pattern: 0.5,
  decision: 0.4,
  convention: 0.3,
  lesson: 0.3,
  test_command: 0.2,
}

/** The number of candidates per query, among which evidence is searched. */
const CANDIDATES = 40
/** The maximum number of files of one edit that are considered. */
const FILES_MAX = 8
/** The maximum number of members that are searched for. */
const MEMBERS_MAX = 20
/** The minimum confidence of a record that is injected. */
const CONFIDENCE_MIN = 0.3

/** The location of an agent: the project, and the folder that its paths are relative to; those of this process when absent. */
export interface Workplace {
  project?: string | undefined
  cwd?: string | undefined
}

/** Returns the records about an action, the strongest evidence first. */
export function knownAbout(action: Action, { project = findProject(), cwd = process.cwd() }: Workplace = {}): Known[] {
  const around = enclosingProject(project)
  const found = [project, ...(around === undefined ? [] : [around])].flatMap((place) => inProject(action, place, cwd))
  const best = new Map<string, Known>()
  for (const known of found) {
    const other = best.get(known.hit.id)
    if (other === undefined || RANKS[known.kind] > RANKS[other.kind]) best.set(known.hit.id, known)
  }
  return [...best.values()].sort((a, b) => rankOf(b) - rankOf(a))
}

function rankOf({ hit, kind }: Known): number {
  return RANKS[kind] + (TYPE_RANKS[hit.type] ?? 0) + hit.confidence / 100
}

function inProject(action: Action, project: string, cwd: string): Known[] {
  switch (action.kind) {
    case 'edit':
    case 'read':
      return action.paths.slice(0, FILES_MAX).flatMap((given) => {
        const path = pathWithin(project, given, cwd)
        return path === undefined ? [] : aboutFile(project, path, action.kind === 'edit' ? action.texts : undefined)
      })
    case 'command':
      return commandsIn(action.line).flatMap((command) => aboutCommand(project, command, cwd))
    case 'failure':
      return aboutFailure(project, action.line, action.output)
  }
}

/** Without the texts of an edit, only evidence about the file itself counts: reading a file is no reason for notes about its folder. */
function aboutFile(project: string, path: string, texts: string[] | undefined): Known[] {
  const byPath = candidates(project, path.replaceAll('/', ' ')).flatMap((hit): Known[] => {
    const mention = hit.sourceFile === path ? 'file' : mentionOf(pathsIn(hit.text), path)
    if (mention === 'file') return [{ hit, kind: 'file', why: path }]
    if (mention === 'folder' && texts !== undefined && hit.type !== 'test_command' && !isGone(hit))
      return [{ hit, kind: 'folder', why: folderOf(path) }]
    return []
  })
  if (texts === undefined) return byPath
  const touched = touchedBy(project, path, texts)
  const names = [...touched.own, ...touched.used, ...touched.callers]
  const byName = candidatesFor(project, names).flatMap((hit) => aboutNames(project, hit, path, touched))
  const literal = texts.flatMap((text) => qualifiedNamesIn(text.slice(0, TEXT_READ_MAX)).map(({ whole }) => whole))
  const members = [...new Set([...touched.members, ...literal])].slice(0, MEMBERS_MAX)
  const byMember = candidatesFor(project, members).flatMap((hit) => aboutMembers(hit, touched))
  return [...byPath, ...byName, ...byMember]
}

/** Records that name a member with its type are about that member, whatever files they name. */
function aboutMembers(hit: RecallHit, touched: Touched): Known[] {
  const named = qualifiedNamesIn(hit.text.slice(0, TEXT_READ_MAX)).find(touched.hasQualified)
  return named === undefined || isGone(hit) ? [] : [{ hit, kind: 'symbol', why: named.whole }]
}

function aboutNames(
  project: string,
  hit: RecallHit,
  path: string,
  { own, used, callers, isInGraph }: Touched,
): Known[] {
  if (isGone(hit)) return []
  const said = new Set(namesIn([hit.text]))
  const mine = own.find((name) => said.has(name))
  if (mine !== undefined && !namesOtherFiles(pathsIn(hit.text), path)) return [{ hit, kind: 'symbol', why: mine }]
  // Uses of names that another file defines count only with a code graph, which knows that file.
  const theirs = used.find((name) => said.has(name))
  const isElsewhere = !isInGraph && isOfOtherFile(project, hit, path, theirs)
  if (theirs !== undefined && !isElsewhere) return [{ hit, kind: 'symbol', why: theirs }]
  const caller = callers.find((name) => said.has(name))
  return caller === undefined ? [] : [{ hit, kind: 'caller', why: caller }]
}

/** A record that names other files is about a symbol if one of those files declares it. */
function isOfOtherFile(project: string, hit: RecallHit, path: string, name: string | undefined): boolean {
  const named = pathsIn(hit.text)
  if (name === undefined || !namesOtherFiles(named, path)) return false
  return !named.some(
    (each) => each.includes('/') && pathWithin(project, each, project) === each && declares(project, each, name),
  )
}

function aboutCommand(project: string, command: SimpleCommand, cwd: string): Known[] {
  const files = filesOf(command).flatMap((given) => pathWithin(project, given, cwd) ?? [])
  const byFile = files.flatMap((path) =>
    aboutFile(project, path, undefined).filter(({ hit }) => !isAboutOtherArguments(hit.text, path, command)),
  )
  const byWords = candidates(project, command.words.slice(0, 8).join(' ').slice(0, 300)).flatMap((hit): Known[] => {
    const words = namedWords(hit.text.slice(0, TEXT_READ_MAX), command)
    return words === 0 || isGone(hit)
      ? []
      : [{ hit, kind: 'command', why: command.words.slice(0, Math.max(words, 1)).join(' ') }]
  })
  return [...byFile, ...byWords]
}

/** A note that only says that a test passes again does not say what fixed it. */
const PASSES_AGAIN = /^`[^`]*` passes; before, it failed/

function aboutFailure(project: string, line: string, output: string): Known[] {
  const failure = readFailure(output)
  const command = line.slice(0, 300).trim()
  const found = candidates(project, `${queryOf(failure)} ${command}`)
  return found.flatMap((hit): Known[] => {
    const text = hit.text.slice(0, TEXT_READ_MAX)
    if (isGone(hit) || PASSES_AGAIN.test(text)) return []
    if (command.length > 2 && text.includes(`passes where \`${command}\` failed`))
      return [{ hit, kind: 'failure', why: command }]
    const why = matchOf(text, failure)
    return why === undefined ? [] : [{ hit, kind: 'failure', why }]
  })
}

function candidatesFor(project: string, names: string[]): RecallHit[] {
  return names.length === 0 ? [] : candidates(project, names.join(' '))
}

function candidates(projectDir: string, query: string): RecallHit[] {
  const { hits } = recall(query, { projectDir, limit: CANDIDATES })
  return hits.filter(({ confidence }) => confidence >= CONFIDENCE_MIN)
}

/** A record that mentions something that no longer exists is only used when it is about the file itself, which exists. */
function isGone({ freshness }: RecallHit): boolean {
  return freshness?.state === 'gone'
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}
