import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AGENT_SIGNS } from '../../dist/shared/agent-signs.js'
import { approve } from '../../dist/shared/approvals.js'
import { enterHome } from './home.mjs'
import { freshFolder, root } from './project.mjs'

const program = join(root, 'dist', 'cli', 'main.js')
/** What hosts start at each event: the native program, as the build places it. */
export const hookProgram = join(
  root,
  readdirSync(root).find((name) => name.startsWith('forge-memory-hook.') && !name.endsWith('.tmp')) ?? '',
)

/** The environment of a command: nothing of the developer's own settings shows through, and nothing is written to them. */
function environment(home, extra) {
  const { NO_COLOR, FORCE_COLOR, COLUMNS, LC_ALL, LC_CTYPE, ...others } = process.env
  const inherited = Object.entries(others).filter(([name]) => !ofAgents.has(name))
  const user = { HOME: `${home}-of-user`, USERPROFILE: `${home}-of-user`, XDG_CONFIG_HOME: '' }
  const own = { ...user, FORGE_HOME: home, FORGE_AS: 'person', TZ: 'UTC', LANG: 'C.UTF-8', WT_SESSION: 'test' }
  return { ...Object.fromEntries(inherited), ...own, ...extra }
}

/** The variables of agents, to hide the agent of a developer that runs the tests. */
const ofAgents = new Set([
  'AGENT',
  'AI_AGENT',
  ...Object.values(AGENT_SIGNS).flatMap(({ variables }) => variables.map((sign) => sign.name ?? sign)),
])

/** A person gives scripts leave to speak as one, as with `--as person` on a terminal: commands of tests have none. */
export function giveLeave(home) {
  const leaveHome = enterHome(home)
  try {
    approve({ folder: 'trusted-scripts', field: 'speaker' }, home, 'person')
  } finally {
    leaveHome()
  }
}

/**
 * Makes a project and a home of its own, where commands speak as a person (with `FORGE_AS: ''` as a script), and returns a function that runs the real command in it, with more variables. Hooks are calls of the
 * native program, as `init` writes them; with `launcher` they go through Node.
 */
export function freshCommand(t, more = {}) {
  const folder = freshFolder(t)
  const project = join(folder, 'project')
  const home = join(folder, 'home')
  mkdirSync(project)
  if (more.FORGE_AS === undefined) giveLeave(home)
  const run = (args, { input = '', env = {}, cwd = project, launcher = false } = {}) => {
    const options = { cwd, input, encoding: 'utf8', env: environment(home, { ...more, ...env }), maxBuffer: 1 << 28 }
    const [name, words] =
      isHook(args) && !launcher ? [hookProgram, args.slice(1)] : [process.execPath, [program, ...args]]
    const { status, stdout, stderr, error } = spawnSync(name, words, options)
    if (error) throw error
    return { status, stdout, stderr }
  }
  return { run, project, home, folder, program, env: (extra) => environment(home, { ...more, ...extra }) }
}

const isHook = ([name, event = '', host = '--host=any', ...more]) =>
  name === 'hook' && more.length === 0 && /^[A-Za-z]+$/.test(event) && host.startsWith('--host=')

/** Runs a command that must succeed and parses the one document it prints with --json. */
export function json(command, args, options) {
  const { status, stdout, stderr } = command.run(['--json', ...args], options)
  if (status !== 0) throw new Error(`exit ${status}: ${stderr}`)
  return JSON.parse(stdout)
}

/** Replaces what differs from run to run, so that output can be compared as a whole. */
export function normalised(text, command) {
  return text
    .replaceAll(command.folder, '<folder>')
    .replace(/mem_[0-9a-f]{32}/g, '<id>')
    .replace(/\b[0-9a-f]{8}\b/g, '<short>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<instant>')
    .replace(/\d{4}-\d\d-\d\d( \d\d:\d\d)?/g, '<date>')
    .replaceAll('\\', '/')
}

/** Runs a command beside this process, which is the server that it talks to. */
export function runBeside(command, args, env) {
  return new Promise((resolve) => {
    const options = { cwd: command.project, env: command.env(env), stdio: ['ignore', 'pipe', 'pipe'] }
    const child = spawn(process.execPath, [command.program, ...args], options)
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr']) child[name].on('data', (text) => (output[name] += text))
    child.on('close', (status) => resolve({ status, ...output }))
  })
}

/** Hands a payload to the program of hooks, which must end well and in silence, and returns the note that it gives; '' when it gives none. */
export function noteFor(command, payload, env) {
  return answerFor(command, payload, env).hookSpecificOutput?.additionalContext ?? ''
}

/** Returns all that the hook program answers. */
export function answerFor(command, payload, env = {}) {
  const { status, stdout, stderr } = spawnSync(hookProgram, [], {
    input: JSON.stringify({ cwd: command.project, ...payload }),
    env: command.env({ FORGE_MEMORY_HOOK_DEADLINE_MS: '20000', ...env }),
    encoding: 'utf8',
  })
  assert.deepEqual([status, stderr], [0, ''])
  return stdout === '' ? {} : JSON.parse(stdout)
}
