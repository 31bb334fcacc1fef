// The merge driver, a git setting of the checkout that clones do not inherit.
import { git, gitAnswer } from './git.js'
import { argumentsToOurs, driverProgram, type Program, wordsOf } from './launch.js'

/** The settings under `merge.forge-memory`. */
export interface DriverSettings {
  name?: string
  driver?: string
}

const SECTION = 'merge.forge-memory'
const NAME = 'forge-memory: union of records, the newest revision wins'
/**
 * The fallback when the program fails: both sides stay in the file, by git's union merge, else concatenated, which git
 * reports as a conflict.
 */
const UNION = 'git merge-file -q --union %A %O %B || { { echo; cat %B; } >>%A; false; }'

export function wantedDriver(program: Program, project: string): Required<DriverSettings> {
  const words = driverProgram(program, project).map((word) => (/^[\w./-]+$/.test(word) ? word : quoted(word)))
  return { name: NAME, driver: `${words.join(' ')} merge-driver %O %A %B || ${UNION}` }
}

/** Quotes a word for the shell. Git expands placeholders that begin with `%`, so that `%` is doubled. */
function quoted(word: string): string {
  const path = (process.platform === 'win32' ? word.replaceAll('\\', '/') : word).replaceAll('%', '%%')
  return /["$`\\]/.test(path) ? `'${path.replaceAll("'", `'\\''`)}'` : `"${path}"`
}

/** Reads the settings of this checkout; undefined outside of a checkout. */
export function readDriver(project: string, scope: '--local' | '--includes' = '--local'): DriverSettings | undefined {
  try {
    git(project, 'rev-parse', '--git-dir')
  } catch {
    return undefined
  }
  const settings: DriverSettings = {}
  for (const key of ['name', 'driver'] as const) {
    const value = setting(project, scope, key)
    if (value !== undefined) settings[key] = value
  }
  return settings
}

function setting(project: string, scope: string, key: string): string | undefined {
  return gitAnswer(project, 'config', scope, '--get', `${SECTION}.${key}`)?.replace(/\n$/, '')
}

/** True if this or an earlier version of `init` wrote the settings, rather than a person. */
export function isByInit({ name }: DriverSettings): boolean {
  return name === NAME
}

/** A parsed driver: the program that it starts, and its fallback. */
export interface ReadDriver {
  words: string[]
  isOurs: boolean
  /** True if both sides stay in the file when the program cannot run. */
  keepsBoth: boolean
}

export function understandDriver(line: string): ReadDriver {
  const [first = '', ...otherwise] = line.split('||')
  const words = wordsOf(first.replaceAll('%%', '%')) ?? []
  return {
    words,
    isOurs: argumentsToOurs(words)?.[0] === 'merge-driver',
    keepsBoth: otherwise.join('||').includes('--union'),
  }
}

/** Writes the settings, and removes those that are absent. */
export function writeDriver(project: string, settings: DriverSettings): void {
  if (Object.keys(readDriver(project) ?? {}).length > 0) git(project, 'config', '--local', '--remove-section', SECTION)
  for (const [key, value] of Object.entries(settings)) git(project, 'config', '--local', `${SECTION}.${key}`, value)
}
