// The checks of `doctor --agents`: whether the configuration of each host would start the server.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Finding } from '../native.js'
import { readConfined } from '../shared/confined.js'
import { isObject } from '../shared/json.js'
import { messageOf } from '../shared/problem.js'
import { realPathOf } from '../shared/real-path.js'
import { version } from '../shared/version.js'
import { findAgents } from './agents.js'
import { reachText } from './capabilities.js'
import { openFile } from './edits.js'
import { foreignParts, optionsOf, wordsIn } from './forms.js'
import { AGENTS, type AgentName, type ServerFile } from './host.js'
import { HOSTS } from './hosts.js'
import { canExecute, isBelow, isOwnScript, programsOnPath } from './launch.js'
import { RUNNING } from './own-copy.js'
import { expand, rootOf, SCOPES, type Scope, shownPath } from './places.js'

type Said = Omit<Finding, 'subject'>

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

/** Asks whether these command lines may be started. */
export type AskToStart = (lines: string[]) => Promise<boolean>

/**
 * Checks the entries of all hosts in files of the project and of the user. Entries that start anything but the running program are started only
 * when `mayStart` agrees; in files of a project, only installations are.
 */
export async function diagnoseHosts(project: string, mayStart: AskToStart): Promise<Finding[]> {
  const all = SCOPES.flatMap((scope) => AGENTS.flatMap((agent) => entriesOf(project, agent, scope)))
  const entries = all.map((each) =>
    'severity' in each ? { finding: each } : { ...each, found: examine(project, each) },
  )
  const others = entries.flatMap((each) =>
    'found' in each && isStart(each.found) && !each.found.isRunning ? [lineOf(each.found.words)] : [],
  )
  const isAgreed = others.length > 0 && (await mayStart([...new Set(others)]))
  const findings: Finding[] = []
  const set = new Set<AgentName>()
  const ready = new Set<AgentName>()
  for (const each of entries) {
    if ('finding' in each) {
      findings.push(each.finding)
      continue
    }
    const { agent, path, found } = each
    set.add(agent)
    const said = await saidOf(project, each, found, isAgreed)
    if (said.severity === 'ok') ready.add(agent)
    findings.push({ subject: `${HOSTS[agent].title}, ${shownPath(path)}`, ...said })
  }
  // An agent without servers has only instructions.
  const hasServer = (agent: AgentName) => SCOPES.some((scope) => HOSTS[agent].server[scope] !== undefined)
  const missing = findAgents(project).filter((agent) => !set.has(agent) && hasServer(agent))
  return [...findings, ...[...ready].map(reachOf), ...missing.map(notSetUp)]
}

/** A command that would be started. */
interface Start {
  words: string[]
  /** True if it is the program that runs now. */
  isRunning: boolean
}

const isStart = (found: Said | Start): found is Start => 'words' in found
const lineOf = (words: string[]) => words.join(' ')

function saidOf(project: string, entry: Entry, found: Said | Start, isAgreed: boolean): Said | Promise<Said> {
  if (!isStart(found)) return found
  return found.isRunning || isAgreed ? start(project, entry, found.words) : notStarted(found.words)
}

function problem(code: string, message: string, hint: string): Said {
  return { severity: 'problem', code, message, hint }
}

function warning(code: string, message: string, hint: string): Said {
  return { severity: 'warning', code, message, hint }
}

function notStarted(words: string[]): Said {
  const hint = 'look at the command; forge-memory doctor --agents --yes starts it'
  return warning('AGENT_NOT_STARTED', `would start ${lineOf(words)}, which was not started`, hint)
}

function reachOf(agent: AgentName): Finding {
  return { severity: 'ok', code: 'AGENT_REACH', subject: HOSTS[agent].title, message: reachText(agent) }
}

function notSetUp(agent: AgentName): Finding {
  const scope = HOSTS[agent].server.project === undefined ? ' --scope user' : ''
  const message = 'is used here or installed, and none of its files starts forge-memory'
  const said = warning('AGENT_NOT_SET_UP', message, `forge-memory init --agent ${agent}${scope}`)
  return { subject: HOSTS[agent].title, ...said }
}

function entriesOf(project: string, agent: AgentName, scope: Scope): (Entry | Finding)[] {
  const file = HOSTS[agent].server[scope]
  return (file?.paths ?? []).flatMap((name): (Entry | Finding)[] => {
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

/** Returns the problem with an entry, or the command that it would start. */
function examine(project: string, entry: Entry): Said | Start {
  const again = `forge-memory init --agent ${entry.agent}${entry.scope === 'user' ? ' --scope user' : ''}`
  const words = wordsIn(entry.value).map((word) =>
    word.replace(/\$\{(workspaceFolder|CLAUDE_PROJECT_DIR:-\.)\}/g, project),
  )
  const [program = '', ...args] = words
  if (optionsOf(entry.value) === undefined) {
    const what = words.length === 0 ? 'no command' : words.join(' ')
    return problem('AGENT_FOREIGN', `has an entry forge-memory that starts something else: ${what}`, again)
  }
  const parts = entry.scope === 'project' ? foreignParts(entry.value) : []
  if (parts.length > 0) {
    const message = `starts it with arguments or variables from a file of the project: ${parts.join(', ')}`
    return problem('AGENT_FOREIGN', message, `${again} drops them; init --remove restores them`)
  }
  if (isSwitchedOff(entry.value)) {
    const hint = 'switch it on in the settings of the agent'
    return warning('AGENT_SWITCHED_OFF', 'has the entry, which is switched off', hint)
  }
  const command = locate(program, project)
  if (command === undefined) {
    const message = `would start ${program}, which is not on the PATH or cannot be executed`
    return problem('AGENT_COMMAND', message, `npm install --global forge-memory, or ${again}`)
  }
  const script = args.find((word) => word.endsWith('.js'))
  if (script !== undefined && !existsSync(resolve(project, script)))
    return problem('AGENT_COMMAND', `would start ${script}, which does not exist`, again)
  if (!isInstallation(project, entry.scope, program, command, script)) {
    const message = `would start ${lineOf(words)}, which is not an installation of this machine; it was not started`
    return problem('AGENT_COMMAND', message, `look at the file; ${again} makes it start this installation`)
  }
  if (HOSTS[entry.agent].server[entry.scope]?.isUnread === true) {
    const message = 'has the entry, which no release of today is known to read'
    return warning('AGENT_UNREAD', message, `${again} --scope user writes the one that it reads`)
  }
  const isRunning =
    realPathOf(script === undefined ? command : resolve(project, script)) === realPathOf(RUNNING) &&
    (script === undefined || realPathOf(command) === realPathOf(process.execPath))
  return { words: [command, ...args], isRunning }
}

function isSwitchedOff(entry: unknown): boolean {
  return isObject(entry) && (entry.disabled === true || entry.enabled === false)
}

/** Returns the file of a program: its path if the name contains a folder, otherwise the one on the PATH. */
function locate(program: string, project: string): string | undefined {
  if (!/[\\/]/.test(program)) return programsOnPath(program)[0]
  const path = resolve(project, program)
  return canExecute(path) ? path : undefined
}

/**
 * True if a command may be offered to be started. Nothing below the project is, whoever names it, except its own copy. Files of a project
 * may name any program, so they start only programs on the PATH, and the running one.
 */
function isInstallation(
  project: string,
  scope: Scope,
  program: string,
  command: string,
  script: string | undefined,
): boolean {
  const isShared = scope === 'project'
  const file = script === undefined ? undefined : resolve(project, script)
  if (file !== undefined && (isShared || isBelow(project, file)) && !isOwnScript(project, file)) return false
  const isOneOf = (own: string) => realPathOf(own) === realPathOf(command)
  if ([process.execPath, RUNNING].some(isOneOf)) return true
  return !isBelow(project, command) && (!isShared || !/[\\/]/.test(program))
}

async function start(
  project: string,
  { agent, scope, value }: Entry,
  [command = '', ...args]: string[],
): Promise<Said> {
  const seconds = secondsOf(agent, value)
  const env = { ...process.env, ...(scope === 'user' ? variablesOf(value) : {}) } as Record<string, string>
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
    return warning('AGENT_VERSION', answer, hint)
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
  const { Client, StdioClientTransport } = await import('../openbrain/remote/protocol.js')
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
