// Whether the copy of this package in a project may be started. Everything in a clone is input from outside, so a program below the project
// counts only where the user's package manager has put it: a repository or an archive can bring any program under our name.
import { lstatSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { readConfinedText } from '../shared/confined.js'
import { realPathOf } from '../shared/real-path.js'
import { gitAnswer } from './git.js'

const FOLDER = 'node_modules/forge-memory'
const SCRIPT = 'dist/cli/main.js'
/** The program of the project's own copy. */
export const OWN = `${FOLDER}/${SCRIPT}`
/** The program of the running installation. */
export const RUNNING = resolve(__dirname, '..', 'cli', 'main.js')

/**
 * True if the project has a copy of its own. It is the running installation, or it is ignored by git, in no repository of its own, and named
 * by a lock file. In both cases, the repository itself has nothing at its path, which the next pull could change.
 */
export function hasOwnCopy(project: string): boolean {
  const script = realPathOf(join(project, OWN))
  if (script === undefined || isInRepository(project, FOLDER)) return false
  if (script === realPathOf(RUNNING)) return true
  const folder = dirname(dirname(dirname(script)))
  const inside = pathBelow(project, folder)
  const places = inside === undefined ? [FOLDER] : [FOLDER, inside]
  return places.every((place) => isOnlyHere(project, place)) && isLocked(project, folder)
}

/** Returns the path of a file relative to a folder, with forward slashes, when it really lies in it. */
export function pathBelow(folder: string, path: string): string | undefined {
  const below = relative(realPathOf(folder) ?? folder, realPathOf(path) ?? path)
  const isOutside = below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)
  return isOutside ? undefined : below.replaceAll(sep, '/')
}

/** True if git ignores a path, and no folder on the way to it is a repository of its own, such as a submodule. */
function isOnlyHere(project: string, path: string): boolean {
  if (isInRepository(project, path) || gitAnswer(project, 'check-ignore', '--', path) === undefined) return false
  const parts = path.split('/')
  return parts.every((_, at) => !isThere(join(project, ...parts.slice(0, at + 1), '.git')))
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

/** True if git tracks a path, something below it, or a link or submodule on the way to it. */
function isInRepository(project: string, path: string): boolean {
  const wanted = path.toLowerCase()
  const tracked = gitAnswer(project, 'ls-files', '-z', '--', `:(icase)${path.split('/')[0]}`) ?? ''
  return tracked
    .toLowerCase()
    .split('\0')
    .some((each) => each !== '' && (`${each}/`.startsWith(`${wanted}/`) || `${wanted}/`.startsWith(`${each}/`)))
}

/** How each package manager writes into its lock file which version it took from a registry. */
const LOCKED: [string, (version: string) => RegExp][] = [
  ['yarn.lock', (version) => new RegExp(`^"?forge-memory@[^\\n]*:\\n {2}version:? "?${version}"?$`, 'm')],
  ['pnpm-lock.yaml', (version) => new RegExp(`^ {2}['"]?/?forge-memory[@/]${version}['"]?[:(]`, 'm')],
  ['bun.lock', (version) => new RegExp(`"forge-memory": \\["forge-memory@${version}"`)],
]
const NPM_LOCKS = ['package-lock.json', 'npm-shrinkwrap.json']

function isLocked(project: string, folder: string): boolean {
  try {
    const { version } = JSON.parse(readConfinedText(folder, 'package.json') ?? '{}') as { version?: unknown }
    if (typeof version !== 'string' || !/^\d+\.\d+\.\d+[\w.+-]*$/.test(version)) return false
    return (
      NPM_LOCKS.some((name) => isInNpmLock(readConfinedText(project, name, LOCK_BYTES_MAX), version)) ||
      LOCKED.some(([name, line]) =>
        line(version.replace(/[.+]/g, '\\$&')).test(readConfinedText(project, name, LOCK_BYTES_MAX) ?? ''),
      )
    )
  } catch {
    return false
  }
}

const LOCK_BYTES_MAX = 64 * 1024 * 1024

/** A workspace of the project, a folder or an archive in it is in the lock file as well, but comes from no registry. */
function isInNpmLock(text: string | undefined, version: string): boolean {
  const { packages, dependencies } = JSON.parse(text ?? '{}') as Record<string, Record<string, NpmEntry> | undefined>
  const entry = packages?.[FOLDER] ?? dependencies?.['forge-memory']
  return entry?.version === version && entry.link !== true && /^https?:/.test(entry.resolved ?? '')
}

interface NpmEntry {
  version?: string
  resolved?: string
  link?: boolean
}
