// The folders from which a server finds its project, without the client. Hosts start servers in the home folder, in the folder of a plug-in
// or in `/`, so the working directory comes last, and a place that is no project stores nothing.
import { existsSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, sep } from 'node:path'
import { type ProjectPlace, projectAt } from '../native.js'
import { attempt, problem } from '../shared/problem.js'
import { realPathOf } from '../shared/real-path.js'

/** Variables with which hosts tell their servers the folder of the project, in the order in which they count. */
const FOLDER_VARIABLES = [
  'CLAUDE_PROJECT_DIR',
  'WORKSPACE_FOLDER_PATHS',
  'CURSOR_PROJECT_DIR',
  'QWEN_PROJECT_DIR',
  'GEMINI_PROJECT_DIR',
  'DEVIN_PROJECT_DIR',
]
/** Variables with the folder of the plug-in that started the server. */
const PLUGIN_VARIABLES = ['CLAUDE_PLUGIN_ROOT', 'CURSOR_PLUGIN_ROOT', 'COPILOT_PLUGIN_ROOT', 'PLUGIN_ROOT']

const HINT =
  "open the folder of a project in your editor or agent, or name one in the server's settings (mcp --project DIR); nothing was read or stored"

/** Returns the first project among those of some folders, and of those that the host names. Throws `NO_PROJECT` or `FOREIGN_FOLDER`. */
export function findAmong(folders: string[]): string {
  const reasons: string[] = []
  for (const folder of [...folders, ...foldersInEnvironment(), ...workingDirectory()]) {
    const { projectDir, problem: refusal }: ProjectPlace = projectAt(folder)
    if (refusal === undefined && projectDir !== undefined) return projectDir
    // Records stored elsewhere instead would be in the wrong place.
    if (refusal !== undefined && refusal.code !== 'NO_PROJECT')
      throw problem(refusal.code, refusal.message, refusal.hint)
    if (refusal !== undefined) reasons.push(refusal.message)
  }
  throw problem('NO_PROJECT', reasons[0] ?? 'this server was started in the folder of a plug-in', HINT)
}

/** Describes the project for the instructions of a client, which has not named its roots yet: they may lead to another one. */
export function projectLine(named: string | undefined): string {
  if (isFilledIn(named)) return `Project: ${named}`
  return attempt(() => `Project: ${findAmong([])}`) ?? 'Project: that of your roots, else none'
}

/** True if a host has named a folder: `.` stands for the working directory, and some leave a placeholder. */
export function isFilledIn(named: string | undefined): named is string {
  return named !== undefined && named !== '.' && !(named.includes('$' + '{') && !existsSync(named))
}

export function isFolder(path: string): boolean {
  return isAbsolute(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** True if a folder has a path; both may lead there through links. */
export function holds(folder: string, path: string): boolean {
  const isIn = (path: string, folder: string) =>
    path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
  return isIn(path, folder) || isIn(realPathOf(path) ?? path, realPathOf(folder) ?? folder)
}

function foldersInEnvironment(): string[] {
  return FOLDER_VARIABLES.flatMap((name) => foldersIn(process.env[name] ?? '')).filter(isFolder)
}

/** A variable may name several folders: as a JSON list, or separated by commas or as in `PATH`. */
function foldersIn(value: string): string[] {
  if (value === '' || isFolder(value)) return [value]
  try {
    const list: unknown = JSON.parse(value)
    if (Array.isArray(list)) return list.filter((each) => typeof each === 'string')
  } catch {
    // It is no JSON.
  }
  return value.split(value.includes(',') ? ',' : delimiter).map((each) => each.trim())
}

/** The working directory, unless it is that of a plug-in or of this program as it is installed. */
function workingDirectory(): string[] {
  const here = process.cwd()
  const own = join(__dirname, '..', '..')
  const programs = PLUGIN_VARIABLES.map((name) => process.env[name] ?? '').concat(
    existsSync(join(own, '.git')) ? [] : own,
  )
  return programs.some((folder) => isAbsolute(folder) && holds(folder, here)) ? [] : [here]
}
