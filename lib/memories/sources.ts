// The memory files of agents: instructions, and lessons of their own. Paths are in the format of `expand`; `**` matches the text files
// of a folder and its subfolders, `{slug}` is the project's folder in the agent's own encoding.
import type { Scope } from '../init/places.js'

export interface Source {
  /** The name for people. */
  title: string
  /** Files of the project, and the agent's memory about it. */
  project: string[]
  /** Files of the user, for all projects. */
  user: string[]
  /** Stores of the agent that are not read. */
  lacks?: string
}

const define = (title: string, project: string[], user: string[] = [], lacks?: string): Source => {
  return { title, project, user, ...(lacks === undefined ? {} : { lacks }) }
}

export const SOURCES: Record<string, Source> = {
  claude: define(
    'Claude Code',
    ['CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md', '.claude/rules/**', '<claude>/projects/{slug}/memory/**'],
    ['<claude>/CLAUDE.md', '<claude>/rules/**'],
  ),
  cursor: define(
    'Cursor',
    ['.cursorrules', '.cursor/rules/**'],
    [],
    'its rules of the user are in the settings of the editor',
  ),
  copilot: define(
    'Copilot',
    ['.github/copilot-instructions.md', '.github/instructions/**'],
    ['<copilot>/copilot-instructions.md', '<copilot>/instructions/**'],
    'its own memories are at GitHub, or in storage of the editor that is not documented',
  ),
  codex: define('Codex', ['AGENTS.md', 'AGENTS.override.md'], ['<codex>/AGENTS.md', '<codex>/memories/**']),
  gemini: define('Gemini CLI', ['GEMINI.md', '.gemini/GEMINI.md'], ['<home>/.gemini/GEMINI.md']),
  qwen: define(
    'Qwen Code',
    ['QWEN.md', '<home>/.qwen/projects/{slug}/memory/**'],
    ['<home>/.qwen/QWEN.md', '<home>/.qwen/memories/**'],
  ),
  windsurf: define('Windsurf', ['.windsurfrules', '.windsurf/rules/**'], ['<home>/.codeium/windsurf/memories/**']),
  devin: define('Devin', ['.devin/rules/**']),
  kiro: define('Kiro', ['.kiro/steering/**'], ['<kiro>/steering/**']),
  cline: define('Cline', ['.clinerules', '.clinerules/**', 'memory-bank/**'], ['<home>/.cline/rules/**']),
  roo: define('Roo Code', ['.roorules', '.roo/rules/**'], ['<home>/.roo/rules/**']),
  continue: define('Continue', ['.continuerules', '.continue/rules/**'], ['<continue>/rules/**']),
  junie: define('Junie', ['.junie/AGENTS.md', '.junie/guidelines.md', '.junie/rules/**']),
  zed: define('Zed', ['.rules'], ['<config>/zed/AGENTS.md']),
  goose: define(
    'Goose',
    ['.goosehints', '.goose/memory/**'],
    ['<config>/goose/.goosehints', '<config>/goose/memory/**'],
  ),
}

/** True for the folder of an agent's own memory of a project: a file for each topic, and `MEMORY.md`, which points to them. */
export const isOwnMemory = (source: string): boolean => source.includes('/{slug}/memory/')

export const sourcesOf = (agent: string, scope: Scope): string[] => SOURCES[agent]?.[scope] ?? []
