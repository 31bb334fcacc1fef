// The types of the table of hosts.
import type { ServerList } from './edits.js'
import type { Program } from './launch.js'
import type { Scope } from './places.js'

export const AGENTS = [
  'claude',
  'cursor',
  'copilot',
  'copilot-cli',
  'codex',
  'gemini',
  'qwen',
  'devin',
  'cline',
  'opencode',
  'kilo',
  'windsurf',
  'zed',
  'roo',
  'kiro',
  'goose',
  'continue',
  'amp',
  'junie',
  'antigravity',
  'droid',
  'pi',
  'claude-desktop',
] as const
export type AgentName = (typeof AGENTS)[number]

/** A value per scope; a host may have it in one scope only. */
export type ByScope<T> = Partial<Record<Scope, T>>

/** A coding agent, and the files that `init` writes for it. Paths are in the format of `expand`. */
export interface Host {
  title: string
  /** How it is detected: files of a project, files of the user, programs on the PATH, and last files of a project that another agent reads too. */
  traces: { project: string[]; user: string[]; programs: string[]; shared?: string[] }
  server: ByScope<ServerFile>
  hooks: ByScope<Hooks[]>
  /** The files with instructions. The first one that exists is used; otherwise the last one is created. */
  texts: ByScope<TextFile>
  /** The folder of its skills, each a file that belongs to this package as a whole. */
  skills?: ByScope<string>
  /** Its timeout for the start of a server, in seconds, if it is known. */
  startSeconds?: number
  /** Its limits, and the steps that it requires from its user. */
  lacks: ByScope<string[]>
}

export interface ServerFile extends ServerList {
  /** The first one that exists is edited; otherwise the last one is created. */
  paths: string[]
  /** The placeholder that the host replaces by the project's folder; without one, servers are started in that folder. */
  root?: string
  /** True if no release of today is known to read the file; earlier ones did. */
  isUnread?: boolean
}

export interface TextFile {
  paths: string[]
  /** The maximum size of the file that the host reads, in characters. */
  charsMax?: number
}

/** Hooks in a list per event, in a file per event, or in one module. */
export type Hooks = HookLists | HookModule

export interface HookLists {
  path: string
  events: string[]
  /** `groups`: a matcher with commands, as in Claude Code. `plain`: a command, in a group where it has a matcher. `shells`: a command per shell. */
  style: 'groups' | 'plain' | 'shells'
  /** The matchers of the events before and after a tool. */
  before?: string
  after?: string
  /** Additional keys of each command. */
  more?: Record<string, unknown>
  /** Additional keys of a new file. */
  head?: Record<string, unknown>
  /** Where the events are in the file: `hooks` when absent. */
  under?: string[]
  /** True if the command names the host, because the payloads of several hosts are alike. */
  says?: string
  /** The placeholder for the project's folder in a command; `../` where the host starts it in the folder of the file. */
  root?: string
  /** True if the host starts a program by its path, without a shell, when the entry has `args`. */
  hasExec?: boolean
  /** True if the command is one of a POSIX shell wherever the file is read. */
  isPosix?: boolean
  /** True if the native program does not know the events: the command is started itself. */
  isNode?: boolean
  /** True if the host has a field of its own for the command on Windows. */
  hasWindows?: boolean
}

export interface HookModule {
  path: string
  text(program: Program): string
  isExecutable?: boolean
}

export const isModule = (hooks: Hooks): hooks is HookModule => 'text' in hooks
