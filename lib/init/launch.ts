import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync, lstatSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** How an agent starts this package. */
export interface Launch {
  command: string
  args: string[]
}

/** Where the program is that agents and git are to start: this project's own, an installed one, or the one that runs now. */
export type Program = 'project' | 'installed' | 'running'

const NAME = 'forge-memory'
const OWN = 'node_modules/forge-memory/dist/cli/main.js'
/** The program of this very installation. */
const RUNNING = resolve(__dirname, '..', 'cli', 'main.js')
const isWindows = process.platform === 'win32'

/**
 * Finds the program. It is never downloaded: the owner of a name in a registry could run arbitrary code then. A copy that
 * came with the repository counts as little.
 */
export function findProgram(project: string): Program {
  if (existsSync(join(project, OWN)) && !isTracked(project, OWN)) return 'project'
  return isInstalled() ? 'installed' : 'running'
}

/** A warning about the program, when other users of the files may not have it. */
export function programNote(program: Program): string | undefined {
  if (program !== 'running') return undefined
  return `forge-memory is neither a package of this project nor on the PATH: the files start ${RUNNING}, which other machines do not have; npm install --save-dev forge-memory, then init again, fixes that`
}

/** For servers, which agents start without a shell. `root` is how the agent names the project. */
export function serverLaunch(program: Program, root: string): Launch {
  if (program === 'project') return { command: 'node', args: [`${root}/${OWN}`, 'mcp'] }
  if (program === 'running') return { command: process.execPath, args: [RUNNING, 'mcp'] }
  // What npm installs on Windows is a script, which only the shell starts.
  return isWindows ? { command: 'cmd', args: ['/c', NAME, 'mcp'] } : { command: NAME, args: ['mcp'] }
}

/** For hooks, which are lines of a shell. `root` is how the agent names the project. */
export function hookCommand(program: Program, event: string, root: string): string {
  if (program === 'project') return `node "${root}${OWN}" hook ${event}`
  return program === 'installed' ? `${NAME} hook ${event}` : `"${process.execPath}" "${RUNNING}" hook ${event}`
}

/** The same for PowerShell, which takes a line that begins with a quote for a text. */
export function powershellCommand(command: string): string {
  return command.startsWith('"') ? `& ${command}` : command
}

/** For git, as words of a POSIX shell, on this machine only. */
export function driverProgram(program: Program, project: string): string[] {
  if (program === 'installed') return [NAME]
  return [process.execPath, program === 'project' ? join(project, OWN) : RUNNING]
}

/** Returns what is handed to our program when these words start it, in this or an older form; nothing when they start another. */
export function argumentsToOurs(words: string[]): string[] | undefined {
  let rest = [...words]
  if (rest[0] === '&') rest = rest.slice(1)
  if (/^cmd(\.exe)?$/i.test(rest[0] ?? '') && rest[1]?.toLowerCase() === '/c') rest = rest.slice(2)
  if (rest[0] === 'npx') rest = rest.slice(/^(-y|--yes)$/.test(rest[1] ?? '') ? 2 : 1)
  const [program = '', script = '', ...args] = rest
  if (/^([^\s]*[\\/])?forge-memory(\.cmd|\.exe)?$/.test(program)) return rest.slice(1)
  const isNode = /(^|[\\/])node(\.exe)?$/.test(program) || program === process.execPath
  return isNode && /(^|[\\/])dist[\\/]cli[\\/]main\.js$/.test(script) ? args : undefined
}

/** Splits a line of a shell into words. Nothing when it does more than to start one program. */
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
  // Variables of the environment may be set in front.
  const first = words.findIndex((each) => !/^\w+=/.test(each))
  return first < 0 ? undefined : words.slice(first)
}

/** Tells whether a file, or a link on the way to it, is in the repository. */
function isTracked(project: string, path: string): boolean {
  const parts = path.split('/')
  const ways = parts.map((_, at) => parts.slice(0, at + 1).join('/'))
  return ways.some((way) => (way === path || isLink(join(project, way))) && isInRepository(project, way))
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

function isInRepository(project: string, path: string): boolean {
  try {
    const args = ['-c', 'core.fsmonitor=false', 'ls-files', '--error-unmatch', '--', path]
    execFileSync('git', args, { cwd: project, stdio: 'ignore' })
    return true
  } catch {
    // No checkout, no git, or a file that git knows nothing of.
    return false
  }
}

/** Tells whether a command of this name is on the PATH. What npm puts there while it runs a script does not stay. */
export function isInstalled(name = NAME): boolean {
  const endings = isWindows ? ['.cmd', '.exe'] : ['']
  return (process.env.PATH ?? '').split(delimiter).some((folder) =>
    endings.some((ending) => {
      try {
        accessSync(join(folder, name + ending), constants.X_OK)
        return folder !== '' && !folder.includes('node_modules')
      } catch {
        return false
      }
    }),
  )
}
