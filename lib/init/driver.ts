// The merge driver of git: a setting of the checkout, which no clone brings along.
import { execFileSync } from 'node:child_process'
import { argumentsToOurs, driverProgram, type Program, wordsOf } from './launch.js'

/** The settings under `merge.forge-memory`. */
export interface DriverSettings {
  name?: string
  driver?: string
}

const SECTION = 'merge.forge-memory'
const NAME = 'forge-memory: union of records, the newest revision wins'
/** On whatever failure both sides stay in the file: as git's own union, else one behind the other, which git reports. */
const UNION = 'git merge-file -q --union %A %O %B || { { echo; cat %B; } >>%A; false; }'

/** What the settings should say. */
export function wantedDriver(program: Program, project: string): Required<DriverSettings> {
  const words = driverProgram(program, project).map((word) => (/^[\w./-]+$/.test(word) ? word : quoted(word)))
  return { name: NAME, driver: `${words.join(' ')} merge-driver %O %A %B || ${UNION}` }
}

/** A word of the shell in which git expands no placeholder. */
function quoted(word: string): string {
  const path = (process.platform === 'win32' ? word.replaceAll('\\', '/') : word).replaceAll('%', '%%')
  return /["$`\\]/.test(path) ? `'${path.replaceAll("'", `'\\''`)}'` : `"${path}"`
}

/** What the settings of this checkout say; nothing where there is no checkout. */
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
  try {
    return git(project, 'config', scope, '--get', `${SECTION}.${key}`).replace(/\n$/, '')
  } catch {
    return undefined
  }
}

/** Tells whether this or an earlier `init` wrote the settings, rather than a person. */
export function isByInit({ name }: DriverSettings): boolean {
  return name === NAME
}

/** The program that a driver starts, and what it does when that fails. */
export interface ReadDriver {
  words: string[]
  isOurs: boolean
  /** True when both sides stay in the file also when the program cannot run. */
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

/** Writes settings; what is absent in them is taken out. */
export function writeDriver(project: string, settings: DriverSettings): void {
  if (Object.keys(readDriver(project) ?? {}).length > 0) git(project, 'config', '--local', '--remove-section', SECTION)
  for (const [key, value] of Object.entries(settings)) git(project, 'config', '--local', `${SECTION}.${key}`, value)
}

/** Runs git without what a checkout might make it start. */
export function git(project: string, ...args: string[]): string {
  return execFileSync('git', ['-c', 'core.fsmonitor=false', ...args], {
    cwd: project,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}
