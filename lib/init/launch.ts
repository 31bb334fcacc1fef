import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { variable } from '../shared/environment.js'
import { realPathOf } from '../shared/real-path.js'
import { hasOwnCopy, OWN, pathBelow, RUNNING } from './own-copy.js'

/** The command line with which an agent starts this package. */
export interface Launch {
  command: string
  args: string[]
}

/** The copy of the program that agents and git start: the project's own, an installed one, or the running one. */
export type Program = 'project' | 'installed' | 'running'

const NAME = 'forge-memory'
const isWindows = process.platform === 'win32'

/**
 * Finds the program. It is never one that is downloaded on use (`npx`), because the owner of a registry name could run
 * arbitrary code, nor one that the repository or an archive brought along.
 */
export function findProgram(project: string): Program {
  if (hasOwnCopy(project)) return 'project'
  return isInstalled(NAME, project) ? 'installed' : 'running'
}

/** Finds the program for the settings of the user. They apply to all projects, so a copy inside of one project is not used. */
export function findUsersProgram(): Program {
  return isInstalled() ? 'installed' : 'running'
}

/** True if a script is that of the running installation, or of the project's own copy. */
export function isOwnScript(project: string, script: string): boolean {
  const found = realPathOf(script)
  if (found === undefined) return false
  return found === realPathOf(RUNNING) || (found === realPathOf(join(project, OWN)) && hasOwnCopy(project))
}

/** Returns a warning when other users of the files may not have the program. */
export function programNote(program: Program): string | undefined {
  if (program !== 'running') return undefined
  return `forge-memory is neither a package of this project nor on the PATH: the files start ${RUNNING}, which other machines do not have; npm install --save-dev forge-memory, then init again, fixes that`
}

/** Returns the command of a server, which agents start without a shell. `root` is the agent's placeholder for the project. */
export function serverLaunch(program: Program, root: string): Launch {
  if (program === 'project') return { command: 'node', args: [`${root}/${OWN}`, 'mcp'] }
  if (program === 'running') return { command: process.execPath, args: [RUNNING, 'mcp'] }
  // On Windows npm installs a script, which only the shell can start.
  return isWindows ? { command: 'cmd', args: ['/c', NAME, 'mcp'] } : { command: NAME, args: ['mcp'] }
}

/** Returns the command of a server for a host with a minimal PATH that does not start it in the project's folder. */
export function pinnedLaunch(project: string): Launch {
  return { command: process.execPath, args: [RUNNING, 'mcp', '--project', project] }
}

/** Returns the command line of a hook, which a shell runs. `root` is the agent's placeholder for the project. */
export function hookCommand(program: Program, event: string, root: string): string {
  if (program === 'project') return `node ${shellWord(root + OWN)} hook ${event}`
  return program === 'installed'
    ? `${NAME} hook ${event}`
    : `${shellWord(nodeInShell())} ${shellWord(RUNNING)} hook ${event}`
}

/** The native program in a line of a shared file, where it is on the machine of whoever reads it. */
const SHARED = '"$' + '{FORGE_HOME:-$HOME/.forge}/bin/forge-memory-hook"'

/** Returns the line of a shared file for a POSIX shell: the native program, else the command, and in any case success without a word. */
export function sharedLine(call: string): string {
  const [, args] = / hook (\w+(?: --host=\w+)?)$/.exec(call) ?? []
  return `${SHARED} ${args} 2>/dev/null || ${call} 2>/dev/null; exit 0`
}

/** A word that no shell prints: in a POSIX shell it is a quotation mark, in PowerShell it ends where a POSIX shell begins a comment. */
const DISCARDED = "echo \\' >/dev/null; "

/**
 * Returns the line of a shared file for a host that does not say which shell it starts: a POSIX shell runs the native program, as in `sharedLine`,
 * and PowerShell, which has neither its path nor `||`, the command.
 */
export function anyLine(call: string): string {
  if (call.includes("'")) return guarded(call, 'any')
  return `${DISCARDED}${sharedLine(call)} #' >$null; ${call} 2>$null; exit 0`
}

/**
 * Returns the call of the native program in a line of this machine; undefined where the shell of the host cannot start it by its path, or would read
 * more into it than a path.
 */
export function nativeCall(path: string, event: string): string | undefined {
  const word = shellWord(path)
  const isRead = isWindows ? word.startsWith('"') : /["$`\\]/.test(path)
  return isRead ? undefined : `${word} ${event}`
}

/** True if a path is one word in every shell. */
export function isPlainWord(path: string): boolean {
  return shellWord(path) === path
}

/** As `hookCommand`, but as words for a module that starts it without a shell, in the project's folder. */
export function hookWords(program: Program): string[] {
  if (program === 'project') return ['node', OWN, 'hook']
  return program === 'installed' ? [NAME, 'hook'] : [process.execPath, RUNNING, 'hook']
}

/** PowerShell evaluates a line that begins with a quote as a string, so there Node is looked up if its path needs quotes. */
function nodeInShell(): string {
  return isWindows && shellWord(process.execPath).startsWith('"') ? 'node' : process.execPath
}

function shellWord(path: string): string {
  const word = isWindows ? path.replaceAll('\\', '/') : path
  return /^[\w./:@+-]+$/.test(word) ? word : `"${word}"`
}

/** A shell, or `any` for a host that has one field for the shells of all systems. */
export type Shell = 'sh' | 'powershell' | 'windows' | 'any'

/**
 * How the call of a hook ends in each shell: with 0, and without a word of the shell, when the program is missing, is blocked, is killed
 * or fails. The files are shared, and hosts deny the tool, or show an error at each event, where a hook fails. In a line for `any` shell,
 * the name in braces is a variable that no shell has: a POSIX shell uses `/dev/null` then, and PowerShell discards the errors. `windows`
 * is for hosts that do not say which shell they start there.
 */
const GUARDS: Record<Shell, [string, string]> = {
  sh: ['{ ', '; } 2>/dev/null; exit 0'],
  powershell: ['try { ', ' 2>$null } catch { }; exit 0'],
  windows: ['cmd /c "', ' 2>nul & exit /b 0"'],
  any: ['', ' 2>$' + '{null-/dev/null}; exit 0'],
}

/** The ends that releases have written after the call. */
const EARLIER_ENDS = [' || true', '; exit 0', ' 2>/dev/null || true']

/** Returns a line that does nothing, and succeeds, where the program cannot run. */
export function guarded(call: string, shell: Shell): string {
  const [begin, end] = GUARDS[shell]
  return `${begin}${shell === 'powershell' && call.startsWith('"') ? `& ${call}` : call}${end}`
}

/** Returns the call in a line of any release. */
export function unguarded(line: string): string {
  const shared = line.startsWith(SHARED) ? / \|\| (.*) 2>\/dev\/null; exit 0$/.exec(line)?.[1] : undefined
  if (shared !== undefined && sharedLine(shared) === line) return shared
  const any = line.startsWith(DISCARDED) ? / #' >\$null; (.*) 2>\$null; exit 0$/.exec(line)?.[1] : undefined
  if (any !== undefined && anyLine(any) === line) return any
  const ends: [string, string][] = [...Object.values(GUARDS), ...EARLIER_ENDS.map((end): [string, string] => ['', end])]
  const found = ends.find(([begin, end]) => line.startsWith(begin) && line.endsWith(end))
  return found === undefined ? line : line.slice(found[0].length, -found[1].length)
}

/** Returns the words of the command that git starts with a POSIX shell, on this machine only. */
export function driverProgram(program: Program, project: string): string[] {
  if (program === 'installed') return [NAME]
  return [process.execPath, program === 'project' ? join(project, OWN) : RUNNING]
}

/**
 * Returns the arguments of our program when a command line starts it, in the form of any version; undefined when it starts
 * another.
 */
export function argumentsToOurs(words: string[]): string[] | undefined {
  let rest = [...words]
  if (rest[0] === '&') rest = rest.slice(1)
  if (/^cmd(\.exe)?$/i.test(rest[0] ?? '') && rest[1]?.toLowerCase() === '/c') rest = rest.slice(2)
  if (rest[0] === 'npx') rest = rest.slice(/^(-y|--yes)$/.test(rest[1] ?? '') ? 2 : 1)
  const [program = '', script = '', ...args] = rest
  if (/^(.*[\\/])?forge-memory-hook(\.exe)?$/.test(program)) return ['hook', ...rest.slice(1)]
  if (/^(.*[\\/])?forge-memory(\.cmd|\.exe)?$/.test(program)) return rest.slice(1)
  const isNode = /(^|[\\/])node(\.exe)?$/.test(program) || program === process.execPath
  return isNode && /(^|[\\/])dist[\\/]cli[\\/]main\.js$/.test(script) ? args : undefined
}

/** Splits a shell command line into words; undefined when it does more than start one program. */
export function wordsOf(line: string): string[] | undefined {
  const words: string[] = []
  let end = 0
  const word = /\s*((?:"[^"`]*"|'[^']*'|[^\s"'`;&|<>()]|^&(?=\s))+)/y
  while (line.slice(end).trim() !== '') {
    word.lastIndex = end
    const [whole = '', found] = word.exec(line) ?? []
    if (found === undefined) return undefined
    words.push(found.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))
    end += whole.length
  }
  // Environment variables may be set in front.
  const first = words.findIndex((each) => !/^\w+=/.test(each))
  return first < 0 ? undefined : words.slice(first)
}

/** True if a command is on the PATH, outside of the project. The folders that npm adds while it runs a script do not count. */
export function isInstalled(name = NAME, project?: string): boolean {
  const first = programsOnPath(name).find((path) => !path.includes('node_modules'))
  return first !== undefined && (project === undefined || !isBelow(project, first))
}

/** True if a program or the link to it lies below the project. */
export function isBelow(project: string, path: string): boolean {
  return [path, dirname(path)].some((each) => pathBelow(project, each) !== undefined)
}

/** Returns the paths of a command on the PATH, the one that a shell starts first. Relative folders depend on where one is. */
export function programsOnPath(name: string): string[] {
  const endings = isWindows ? ['.cmd', '.exe', ''] : ['']
  const folders = (variable('PATH') ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  return folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending))).filter(canExecute)
}

export function canExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
