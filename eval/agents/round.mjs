// One round: rules are told in a session, and a task needs them in the next one.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { HOSTS } from '../hosts/hosts.mjs'
import { ownProgram, PROGRAM } from '../hosts/program.mjs'
import { commitAll, hangsOf, makeRepository, PROMPTS, RULES, restore } from './task.mjs'

/** How each agent is told a prompt without a terminal, with the person's own account and model; its calls are then on its output. */
const ARGUMENTS = {
  claude: (prompt, { withMemory }) => {
    const servers = withMemory ? ['--mcp-config', '.mcp.json'] : []
    const tools = ['--allowedTools', 'Bash,Edit,Read,Write,mcp__forge-memory']
    return ['-p', prompt, ...servers, ...tools, '--output-format', 'stream-json', '--verbose']
  },
  codex: (prompt, { project }) => [
    'exec',
    '--json',
    '--dangerously-bypass-hook-trust',
    '--dangerously-bypass-approvals-and-sandbox',
    ...['-c', `projects={${JSON.stringify(project)}={trust_level="trusted"}}`],
    prompt,
  ],
  gemini: (prompt) => ['-p', prompt, '--yolo', '--skip-trust', '--output-format', 'stream-json'],
  opencode: (prompt) => ['run', '--format', 'json', prompt],
}
export const AGENTS = Object.keys(ARGUMENTS)

/** A call of a tool in the events of these agents. */
const CALL =
  /"type":\s*"tool_use"|"type":\s*"item\.completed",\s*"item":\s*\{[^{}]*"type":\s*"(command_execution|file_change|mcp_tool_call|web_search)"/g

/** Plays both sessions, and counts what the second one did. `command` is run instead of the agent whose files `init` writes. */
export async function playRound({ agent, command, minutes, withMemory }) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'forge-agents-')))
  const project = join(folder, 'project')
  const path = [ownProgram(folder), process.env.PATH].join(delimiter)
  const memory = { PATH: path, FORGE_HOME: join(folder, 'forge') }
  // Hooks and servers in the settings of the person who runs this must not help either.
  const environment = { ...process.env, ...memory, ...(withMemory ? {} : { FORGE_MEMORY: 'off' }) }
  const forge = (...args) =>
    JSON.parse(
      execFileSync(process.execPath, [PROGRAM, '--json', ...args], { cwd: project, env: environment, stdio: 'pipe' }),
    )
  const say = (prompt) => {
    const [name, args] =
      command === undefined
        ? [HOSTS[agent].bin, ARGUMENTS[agent](prompt, { project, withMemory })]
        : ['sh', ['-c', `${command} "$0"`, prompt]]
    return runAgent(name, args, { cwd: project, env: environment }, minutes)
  }
  try {
    mkdirSync(project)
    makeRepository(project)
    if (withMemory) forge('init', '--scope', 'project', '--agent', agent, '--yes')
    commitAll(project)
    const [told, task] = PROMPTS
    await say(told)
    restore(project)
    const records = withMemory ? forge('list').entries.map(({ text }) => text) : []
    const { output, isLate } = await say(task)
    return {
      followed: RULES.filter(({ isFollowed }) => isFollowed(project)).length,
      calls: output.match(CALL)?.length ?? 0,
      hangs: hangsOf(project) + (isLate ? 1 : 0),
      tokens: withMemory ? forge('agent', 'stats').tokens : 0,
      stored: RULES.filter(({ stored }) => records.some((text) => stored.test(text))).length,
      records: records.length,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Runs an agent until it ends, or until nobody would wait any longer; nothing that it started stays. */
function runAgent(name, args, options, minutes) {
  const child = spawn(name, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const said = { output: '', errors: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => (said.output += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (said.errors += text))
  let isLate = false
  const limit = setTimeout(() => {
    isLate = true
    endGroup(child)
  }, minutes * 60_000)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => endGroup(child))
    child.once('close', (status) => {
      clearTimeout(limit)
      if (status === 0 || isLate) resolve({ ...said, isLate })
      else reject(new Error(`${name} ended with ${status}: ${said.errors.trim().slice(-400)}`))
    })
  }).finally(() => clearTimeout(limit))
}

function endGroup({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing of it is left.
  }
}
