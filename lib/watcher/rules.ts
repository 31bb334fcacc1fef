import { PathPatterns, projectSettings } from '../native.js'
import { problem } from '../shared/problem.js'

/** A change of a file. */
export type FileEvent = 'add' | 'change' | 'unlink'

/** A rule for captures when a file changes; `watch.rules` of `.forge.json`. */
export interface WatchRule {
  /** Becomes the source `watcher/<name>`: lower-case letters, digits, `_`, `-`, `.`, at most 64. */
  name: string
  /** Glob patterns relative to the project; `**` matches any number of folders. */
  glob: string | string[]
  /** `add` and `change` when absent. */
  events?: FileEvent[]
  /** The type of the capture; `lesson` when absent. */
  type?: string
  /** The text, with `{event}`, `{path}`, `{file}`, `{folder}`, `{rule}`, `{project}`, `{content}` and `{prompt}` filled in. */
  body?: string
  tags?: string[]
  confidence?: number
}

/** A validated rule. */
export interface Rule {
  name: string
  globs: string[]
  events: Set<FileEvent>
  type: string
  body: string
  tags: string[] | undefined
  confidence: number | undefined
  matches(path: string): boolean
}

const EVENTS: FileEvent[] = ['add', 'change', 'unlink']
const BODY = '{event}: {path}'
const RULES_MAX = 100

/** Reads the rules of a project's `.forge.json`. Invalid rules are reported, and the others are used. */
export function readRules(projectDir: string): { rules: Rule[]; problems: string[] } {
  const settings = projectSettings({ projectDir })
  const rules: Rule[] = []
  const problems = settings.problems.filter((message) => /^(\.forge\.json|watch)\b/.test(message))
  for (const [at, rule] of (settings.given.watch?.rules ?? []).slice(0, RULES_MAX).entries()) {
    try {
      rules.push(checkRule(rule, `watch.rules[${at}]`))
    } catch (error) {
      problems.push((error as Error).message)
    }
  }
  return { rules, problems }
}

/** Validates a rule. Throws `INVALID_INPUT`. */
export function checkRule(rule: unknown, where: string): Rule {
  const wrong = (field: string, due: string) => problem('INVALID_INPUT', `${where}.${field}: ${due}`)
  if (typeof rule !== 'object' || rule === null) throw problem('INVALID_INPUT', `${where}: expected an object`)
  const { name, glob, events, type, body, tags, confidence } = rule as Partial<Record<keyof WatchRule, unknown>>
  if (typeof name !== 'string' || !/^[a-z0-9_.-]{1,64}$/.test(name)) {
    throw wrong('name', 'expected at most 64 of a-z, 0-9, _, - and .')
  }
  const globs = typeof glob === 'string' ? [glob] : glob
  if (!isTexts(globs) || globs.length === 0 || globs.some(reachesOut)) {
    throw wrong('glob', 'expected one or several patterns within the project')
  }
  const patterns = readPatterns(globs, where)
  if (events !== undefined && !(isTexts(events) && events.every((event) => EVENTS.includes(event as FileEvent)))) {
    throw wrong('events', 'expected a list of add, change and unlink')
  }
  for (const [field, value] of Object.entries({ type, body })) {
    if (value !== undefined && (typeof value !== 'string' || value === '')) throw wrong(field, 'expected a string')
  }
  if (tags !== undefined && !isTexts(tags)) throw wrong('tags', 'expected a list of strings')
  if (confidence !== undefined && typeof confidence !== 'number') throw wrong('confidence', 'expected a number')
  return {
    name,
    globs,
    events: new Set((events as FileEvent[] | undefined) ?? ['add', 'change']),
    type: (type as string | undefined) ?? 'lesson',
    body: (body as string | undefined) ?? BODY,
    tags: tags as string[] | undefined,
    confidence: confidence as number | undefined,
    matches: (path) => patterns.matches(path),
  }
}

/** Returns the folders in which the rules can match. */
export function foldersOf(rules: Rule[]): string[] {
  const bases = rules.flatMap(({ globs }) => globs.map(baseOf))
  return [...new Set(bases)]
}

/** Returns the part of a pattern before its first wildcard, as a folder. */
function baseOf(glob: string): string {
  const parts = glob.startsWith('./') ? glob.slice(2).split('/') : glob.split('/')
  const first = parts.findIndex((part) => /[*?[\]{}\\]/.test(part))
  return parts.slice(0, first === -1 ? -1 : first).join('/')
}

function readPatterns(globs: string[], where: string): PathPatterns {
  try {
    return PathPatterns.read(globs)
  } catch (error) {
    throw problem('INVALID_INPUT', `${where}.${(error as Error).message}`)
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '')
}

function reachesOut(glob: string): boolean {
  return glob.startsWith('/') || glob.startsWith('!') || /(^|[\\/])\.\.([\\/]|$)/.test(glob) || /^[a-z]:/i.test(glob)
}
