// Packages of a monorepo: records about the current package come first, then those of the whole repository.

import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import {
  findProject,
  memoryRecall,
  type ProjectOptions,
  promptNotes,
  type RecallHit,
  type RecallOptions,
  type RecallOutcome,
  type RecallQuery,
  type RecallText,
  recall,
  sessionNotes,
} from '../native.js'
import { parseForgeFile } from '../shared/forge-file.js'
import { given } from '../shared/given.js'

/** A package of a project: its name in the table `scopes`, and its folders within the project. */
export interface PackageScope {
  name: string
  folders: string[]
}

const RECALL_LIMIT = 10
/** The default limit of `memoryRecall`. */
const ANSWER_LIMIT = 20

/** Returns the packages that a project names in `.forge.json`: `"scopes": {"web": ["apps/web", "packages/ui"]}`. */
export function scopesOf(project: string): PackageScope[] {
  let table: unknown
  try {
    table = (parseForgeFile(project) as { scopes?: unknown } | null)?.scopes
  } catch {
    // The engine reports a file that cannot be read.
    return []
  }
  if (typeof table !== 'object' || table === null || Array.isArray(table)) return []
  return Object.entries(table).flatMap(([name, value]) => {
    const folders = (Array.isArray(value) ? value : [value]).flatMap(folderIn)
    return folders.length === 0 ? [] : [{ name, folders }]
  })
}

/** Returns a folder relative to the project, with forward slashes; undefined when it is outside. */
function folderIn(value: unknown): string[] {
  if (typeof value !== 'string') return []
  const parts = value
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
  return parts.length === 0 || parts.includes('..') ? [] : [parts.join('/')]
}

/** The files by which a folder is a package of its own. */
const MANIFESTS = [
  'package.json',
  'Cargo.toml',
  'pyproject.toml',
  'setup.py',
  'go.mod',
  'composer.json',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'Gemfile',
  'mix.exs',
  'pubspec.yaml',
]
/** The folders of tools and dependencies, whose packages are none of the project. */
const NOT_OURS = new Set(['node_modules', 'vendor', 'target', 'dist', 'build'])
const TAG = 'scope:'

/** Returns the innermost package that contains a folder: one that `scopes` names, or a folder with a manifest. */
export function scopeAt(folder: string, project: string, scopes = scopesOf(project)): PackageScope | undefined {
  const path = packageFolder(folder, project, scopes)
  if (path === undefined) return undefined
  return scopes.find(({ folders }) => folders.includes(path)) ?? { name: path, folders: [path] }
}

/** Returns the tags by which a capture in a folder belongs to its package: none at the top of the project. */
export function packageTags({ projectDir }: ProjectOptions, folder = projectDir ?? process.cwd()): string[] {
  const path = packageFolder(folder, findProject(given({ projectDir })))
  return path === undefined ? [] : [`${TAG}${path}`]
}

/** Returns the folder of the innermost package, relative to the project. */
function packageFolder(folder: string, project: string, scopes = scopesOf(project)): string | undefined {
  const top = realOf(project)
  const parts = relative(top, realOf(folder))
    .split(sep)
    .filter((part) => part !== '')
  if (parts[0] === '..' || isAbsolute(parts.join(sep))) return undefined
  const named = new Set(scopes.flatMap(({ folders }) => folders))
  const below = parts.findIndex((part) => NOT_OURS.has(part))
  for (let depth = below < 0 ? parts.length : below; depth > 0; depth -= 1) {
    const path = parts.slice(0, depth)
    const isPackage = () => MANIFESTS.some((name) => existsSync(join(top, ...path, name)))
    if (named.has(path.join('/')) || isPackage()) return path.join('/')
  }
  return undefined
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

/** Returns the project that contains a package with a `.forge.json` of its own, within the same repository. */
export function enclosingProject(project: string): string | undefined {
  if (existsSync(join(project, '.git'))) return undefined
  for (let folder = dirname(project); folder !== dirname(folder); folder = dirname(folder)) {
    const isTop = existsSync(join(folder, '.git'))
    if (existsSync(join(folder, '.forge')) || existsSync(join(folder, '.forge.json'))) {
      return isTop || isInRepository(folder) ? folder : undefined
    }
    if (isTop) return undefined
  }
  return undefined
}

function isInRepository(folder: string): boolean {
  for (let at = folder; at !== dirname(at); at = dirname(at)) if (existsSync(join(at, '.git'))) return true
  return false
}

/** Sorts records about a package first and those about another one last (stable). */
export function inScopeFirst(hits: RecallHit[], scope: PackageScope | undefined, scopes: PackageScope[]): RecallHit[] {
  if (scope === undefined) return hits
  const others = scopes.filter(({ name }) => name !== scope.name)
  const rank = (hit: RecallHit) => {
    if (isAbout(hit, scope)) return 0
    const isOfAnother = hit.tags.some((tag) => tag.startsWith(TAG)) || others.some((other) => isAbout(hit, other))
    return isOfAnother ? 2 : 1
  }
  return [0, 1, 2].flatMap((each) => hits.filter((hit) => rank(hit) === each))
}

/** A record is about a package if it was captured there, has the package's name as a tag, or mentions a path in it. */
function isAbout({ tags, text }: RecallHit, { name, folders }: PackageScope): boolean {
  if (tags.includes(name) || [name, ...folders].some((each) => tags.includes(`${TAG}${each}`))) return true
  return folders.some((folder) => {
    for (let at = text.indexOf(folder); at >= 0; at = text.indexOf(folder, at + 1)) {
      const [before = '', after = ''] = [text.charAt(at - 1), text.charAt(at + folder.length)]
      if (!/[\w/-]/.test(before) && !/[\w-]/.test(after)) return true
    }
    return false
  })
}

/** The location of a call: records of its package come first, and the containing repository is searched as well. */
interface Place {
  project: string
  scope: PackageScope | undefined
  scopes: PackageScope[]
  around: string | undefined
}

/** The working directory where it is in the project, which a server is told by its client. */
function workplaceIn(project: string): string {
  const path = relative(realOf(project), realOf(process.cwd()))
  return path.startsWith('..') || isAbsolute(path) ? project : process.cwd()
}

function placeOf({ projectDir }: ProjectOptions): Place {
  const project = findProject(given({ projectDir }))
  const scopes = scopesOf(project)
  return {
    project,
    scopes,
    scope: scopeAt(workplaceIn(project), project, scopes),
    around: enclosingProject(project),
  }
}

/** Fills up with records of the containing repository. */
function withAround(own: RecallHit[], place: Place, limit: number, ask: (project: string) => RecallHit[]): RecallHit[] {
  const first = inScopeFirst(own, place.scope, place.scopes)
  if (place.around === undefined || first.length >= limit) return first
  const known = new Set(first.map(({ id }) => id))
  return [...first, ...ask(place.around).filter(({ id }) => !known.has(id))].slice(0, limit)
}

/** Recalls from the current package first, then from the containing repository. */
export function recallHere(query: string, options: RecallOptions = {}): RecallOutcome {
  const place = placeOf(options)
  const outcome = recall(query, options)
  if (options.scope === 'global') return outcome
  const limit = options.limit ?? RECALL_LIMIT
  let searched = outcome.searched
  const hits = withAround(outcome.hits, place, limit, (projectDir) => {
    const around = recall(query, { ...options, projectDir, scope: 'project' })
    searched += around.searched
    return around.hits
  })
  const { message, ...rest } = outcome
  return { ...rest, hits, searched, ...(message === undefined || hits.length > outcome.hits.length ? {} : { message }) }
}

/** Returns records about a prompt, those of the package first. */
export function promptNotesHere(prompt: string, limit: number, options: ProjectOptions = {}): RecallHit[] {
  return withAround(promptNotes(prompt, options), placeOf(options), limit, (projectDir) =>
    promptNotes(prompt, { projectDir }),
  )
}

/** Returns the records for the start of a session, those of the package first. */
export function sessionNotesHere(plan: string | undefined): RecallHit[] {
  return withAround(sessionNotes(plan), placeOf({}), Number.POSITIVE_INFINITY, (projectDir) =>
    sessionNotes(plan, { projectDir }),
  )
}

/** Answers a query like `memoryRecall`: from the package, then the containing repository, then the records for all projects. */
export function memoryRecallHere(input: RecallQuery, options: ProjectOptions = {}): RecallText {
  const place = placeOf(options)
  const answer = memoryRecall(input, options)
  if (input.scope === 'global' || (place.scope === undefined && place.around === undefined)) return answer
  const isOwn = ({ scope }: RecallHit) => scope === 'project'
  let { found, message } = answer
  const own = withAround(answer.matches.filter(isOwn), place, ANSWER_LIMIT, (projectDir) => {
    const around = memoryRecall({ ...input, scope: 'project' }, { projectDir })
    found = { ...found, project: found.project + around.found.project }
    if (around.matches.length > 0) message = undefined
    return around.matches
  })
  const { message: _own, ...rest } = answer
  const matches = [...own, ...answer.matches.filter((hit) => !isOwn(hit))].slice(0, ANSWER_LIMIT)
  return { ...rest, matches, found, ...given({ message }) }
}
