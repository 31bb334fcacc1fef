// The folders in which hosts keep user settings: below the home folder, unless an environment variable relocates them.

import { isAbsolute, join, parse, relative, sep } from 'node:path'
import { userFolder } from '../shared/home.js'

/** The scope of settings: the project, for everybody who works on it, or the user. */
export type Scope = 'project' | 'user'
export const SCOPES = ['project', 'user'] as const

/** The folders by their placeholder in paths, and the variables that relocate them. */
const FOLDERS: Record<string, { variable?: string; path: string }> = {
  home: { path: '' },
  claude: { variable: 'CLAUDE_CONFIG_DIR', path: '.claude' },
  cline: { variable: 'CLINE_DATA_DIR', path: '.cline/data' },
  codex: { variable: 'CODEX_HOME', path: '.codex' },
  continue: { variable: 'CONTINUE_GLOBAL_DIR', path: '.continue' },
  copilot: { variable: 'COPILOT_HOME', path: '.copilot' },
  junie: { variable: 'JUNIE_HOME', path: '.junie' },
  kiro: { variable: 'KIRO_HOME', path: '.kiro' },
  pi: { variable: 'PI_CODING_AGENT_DIR', path: '.pi/agent' },
}

/** Expands the first part of a path, such as `<codex>/config.toml`. A path without one is relative to the project. */
export function expand(path: string): string {
  const [, name, rest = ''] = /^<(\w+)>\/?(.*)$/.exec(path) ?? []
  return name === undefined ? path : join(folderOf(name), rest)
}

function folderOf(name: string): string {
  if (name === 'config') return configFolder()
  if (name === 'apps') return appsFolder()
  const { variable = '', path = '' } = FOLDERS[name] ?? {}
  return moved(variable) ?? join(userFolder(), path)
}

/** The settings folder of command-line programs. On Windows, Zed, Goose and Devin use that of other applications. */
function configFolder(): string {
  return moved('XDG_CONFIG_HOME') ?? join(userFolder(), '.config')
}

function appsFolder(): string {
  if (process.platform === 'win32') return moved('APPDATA') ?? join(userFolder(), 'AppData', 'Roaming')
  if (process.platform === 'darwin') return join(userFolder(), 'Library', 'Application Support')
  return configFolder()
}

function moved(variable: string): string | undefined {
  const folder = process.env[variable]
  return folder !== undefined && isAbsolute(folder) ? folder : undefined
}

/** The folder that must contain the files of a scope. Links in the user's own folder may lead anywhere. */
export function rootOf(scope: Scope, project: string): string {
  return scope === 'project' ? project : parse(userFolder()).root
}

/** Returns a path in the form for people: `~/.codex/config.toml`. */
export function shownPath(path: string): string {
  if (!isAbsolute(path)) return path
  const below = relative(userFolder(), path)
  return below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below) ? path : `~/${below.replaceAll(sep, '/')}`
}
