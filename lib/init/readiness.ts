// The checks of `doctor --agents`: whether the configuration of each host would start the server.
import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { readConfined } from '../shared/confined.js'
import { messageOf } from '../shared/problem.js'
import { version } from '../shared/version.js'
import { findAgents } from './agents.js'
import { openFile } from './edits.js'
import { isObject } from './format/entry-file.js'
import { optionsOf, wordsIn } from './forms.js'
import { AGENTS, type AgentName, type ServerFile } from './host.js'
import { HOSTS } from './hosts.js'
import { isOwnScript } from './launch.js'
import { expand, rootOf, SCOPES, type Scope, shownPath } from './places.js'

/** A finding, in the form of the engine's `diagnose`. */
export interface HostFinding {
  severity: 'ok' | 'warning' | 'problem'
  code: string
  subject: string
  message: string
  hint?: string
}

type Said = Omit<HostFinding, 'subject'>

/** An entry that a host would start. */
interface Entry {
  agent: AgentName
  scope: Scope
  path: string
  value: unknown
}

const BYTES_MAX = 16 * 1024 * 1024
const VERSION_MS = 30_000
/** The assumed timeout of hosts that do not document one, in seconds. */
const START_SECONDS = 30

/** Checks the entries of all hosts in files of the project and of the user. Starts only installations of this package. */
export async function diagnoseHosts(project: string): Promise<HostFinding[]> {
  const findings: HostFinding[] = []
  const set = new Set<AgentName>()
  for (const scope of SCOPES) {
    for (const agent of AGENTS) {
      for (const found of entriesOf(project, agent, scope)) {
        if ('severity' in found) findings.push(found)
        else {
          set.add(agent)
          findings.push({
            subject: `${HOSTS[agent].title}, ${shownPath(found.path)}`,
            ...(await examine(project, found)),
          })
        }
      }
    }
  }
  const missing = findAgents(project).filter((agent) => !set.has(agent))
  return [...findings, ...missing.map(notSetUp)]
}

function notSetUp(agent: AgentName): HostFinding {
  const scope = HOSTS[agent].server.project === undefined ? ' --scope user' : ''
  return {
    severity: 'warning',
    code: 'AGENT_NOT_SET_UP',
    subject: HOSTS[agent].title,
    message: 'is used here or installed, and none of its files starts forge-memory',
    hint: `forge-memory init --agent ${agent}${scope}`,
  }
}

function entriesOf(project: string, agent: AgentName, scope: Scope): (Entry | HostFinding)[] {
  const file = HOSTS[agent].server[scope]
  return (file?.paths ?? []).flatMap((name): (Entry | HostFinding)[] => {
    const path = expand(name)
    try {
      const value = entryIn(rootOf(scope, project), path, file as ServerFile)
      return value === undefined ? [] : [{ agent, scope, path, value }]
    } catch (error) {
      const subject = `${HOSTS[agent].title}, ${shownPath(path)}`
      const hint = 'the agent reads it no better: fix the file by hand'
      return [{ severity: 'problem' as const, code: 'AGENT_CONFIG', subject, message: messageOf(error), hint }]
    }
  })
}

function entryIn(root: string, path: string, { format, list }: ServerFile): unknown {
  const bytes = readConfined(root, path, BYTES_MAX)
  if (bytes === undefined) return undefined
  return openFile(path, bytes.toString('utf8'), format).get([list, 'forge-memory'])
}

async function examine(project: string, entry: Entry): Promise<Said> {
  const again = `forge-memory init --agent ${entry.agent}${entry.scope === 'user' ? ' --scope user' : ''}`
  const words = wordsIn(entry.value).map((word) =>
    word.replace(/\$\{(workspaceFolder|CLAUDE_PROJECT_DIR:-\.)\}/g, project),
  )
  const [program = '', ...args] = words
  const problem = (code: string, message: string, hint: string): Said => ({ severity: 'problem', code, message, hint })
  if (optionsOf(entry.value) === undefined) {
    const what = words.length === 0 ? 'no command' : words.join(' ')
    return problem('AGENT_FOREIGN', `has an entry forge-memory that starts something else: ${what}`, again)
  }
  if (isSwitchedOff(entry.value)) {
    const message = 'has the entry, which is switched off'
    return {
      severity: 'warning',
      code: 'AGENT_SWITCHED_OFF',
      message,
      hint: 'switch it on in the settings of the agent',
    }
  }
  const command = locate(program, project)
  if (command === undefined) {
    const message = `would start ${program}, which is not on the PATH or cannot be executed`
    return problem('AGENT_COMMAND', message, `npm install --global forge-memory, or ${again}`)
  }
  const script = args.find((word) => word.endsWith('.js'))
  if (script !== undefined && !existsSync(resolve(project, script)))
    return problem('AGENT_COMMAND', `would start ${script}, which does not exist`, again)
  if (entry.scope === 'project' && !isTrusted(project, command, script)) {
    const message = `would start ${words.join(' ')}, which is not an installation of this machine; it was not started`
    return problem('AGENT_COMMAND', message, `look at the file; ${again} makes it start this installation`)
  }
  return start(project, entry, [command, ...args])
}

function isSwitchedOff(entry: unknown): boolean {
  return isObject(entry) && (entry.disabled === true || entry.enabled === false)
}

/** Returns the file of a program: its path if the name contains a folder, otherwise the one on the PATH. */
function locate(program: string, project: string): string | undefined {
  if (/[\\/]/.test(program)) {
    const path = resolve(project, program)
    return canExecute(path) ? path : undefined
  }
  const endings = process.platform === 'win32' ? ['.cmd', '.exe', ''] : ['']
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  return folders.flatMap((folder) => endings.map((ending) => join(folder, program + ending))).find(canExecute)
}

function canExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Files of a project are untrusted and may name any program, so only installations of this package are started. */
function isTrusted(project: string, command: string, script: string | undefined): boolean {
  if (script !== undefined && !isOwnScript(project, resolve(project, script))) return false
  const below = relative(realpathSync.native(project), realpathSync.native(command))
  return below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)
}

async function start(
  project: string,
  { agent, scope, value }: Entry,
  [command = '', ...args]: string[],
): Promise<Said> {
  const seconds = secondsOf(agent, value)
  const env = { ...process.env, ...(scope === 'user' ? variablesOf(value) : {}) } as Record<string, string>
  const problem = (code: string, message: string, hint: string): Said => ({ severity: 'problem', code, message, hint })
  const verb = args.indexOf('mcp')
  const theirs = await versionOf(command, args.slice(0, verb), project, env)
  if ('failure' in theirs)
    return problem('AGENT_COMMAND', `does not answer to --version: ${theirs.failure}`, 'run the command by hand')
  const began = Date.now()
  try {
    const tools = await countTools(command, args, project, env, seconds)
    const took = (Date.now() - began) / 1000
    const answer = `starts, version ${theirs.version}, ${tools} tools after ${took.toFixed(1)} s of ${seconds}`
    if (theirs.version === version) return { severity: 'ok', code: 'AGENT_READY', message: answer }
    const hint = `this is ${version}; npm install --global forge-memory@${version}`
    return { severity: 'warning', code: 'AGENT_VERSION', message: answer, hint }
  } catch (error) {
    const message = `does not answer to the initialize of MCP within ${seconds} s: ${messageOf(error)}`
    return problem('AGENT_START', message, `run it by hand: ${[command, ...args].join(' ')}`)
  }
}

/** The timeout of the host: the one in its entry, otherwise its default. */
function secondsOf(agent: AgentName, entry: unknown): number {
  const said = isObject(entry) ? entry.startup_timeout_sec : undefined
  return typeof said === 'number' && said > 0 ? said : (HOSTS[agent].startSeconds ?? START_SECONDS)
}

function variablesOf(entry: unknown): Record<string, string> {
  const all = isObject(entry) ? (entry.env ?? entry.envs ?? entry.environment) : undefined
  const pairs = isObject(all) ? Object.entries(all) : []
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
}

async function versionOf(
  command: string,
  args: string[],
  cwd: string,
  env: Record<string, string>,
): Promise<{ version: string } | { failure: string }> {
  try {
    const { stdout } = await promisify(execFile)(command, [...args, '--version'], { cwd, env, timeout: VERSION_MS })
    const [, found] = /^(\d+\.\d+\.\d+\S*)\s*$/m.exec(stdout) ?? []
    return found === undefined ? { failure: 'it prints no version' } : { version: found }
  } catch (error) {
    return { failure: messageOf(error).split('\n')[0] ?? '' }
  }
}

/** Starts the server as the host would, and returns the number of its tools. */
async function countTools(
  command: string,
  args: string[],
  cwd: string,
  env: Record<string, string>,
  seconds: number,
): Promise<number> {
  const { Client } = await import('@modelcontextprotocol/client')
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
  const client = new Client({ name: 'forge-memory-doctor', version })
  const transport = new StdioClientTransport({ command, args, cwd, env, stderr: 'ignore' })
  const timeout = seconds * 1000
  try {
    await client.connect(transport, { timeout })
    return (await client.listTools(undefined, { timeout })).tools.length
  } finally {
    await client.close()
  }
}
