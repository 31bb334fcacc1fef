// The checks of `doctor --agents` about hooks: whether the hooks that `init` has written answer, and how long that takes.
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Finding } from '../native.js'
import { readConfined } from '../shared/confined.js'
import { hookCopy } from '../shared/home.js'
import { isObject } from '../shared/json.js'
import { entryFor, siteOf } from './agents.js'
import { openFile, runsOurs } from './edits.js'
import { isSame, ownHookProgram, tryToKeepHookCopy } from './hook-program.js'
import { AGENTS, type AgentName, type HookLists, isModule } from './host.js'
import { HOSTS } from './hosts.js'
import { expand, rootOf, SCOPES, type Scope, shownPath } from './places.js'

const BYTES_MAX = 16 * 1024 * 1024
/** The time that hosts give a hook. */
const PATIENCE_MS = 5000

/** Runs each command of hooks once that is exactly as `init` writes it; all others come from somebody else, and are not run. */
export async function diagnoseHooks(project: string): Promise<Finding[]> {
  tryToKeepHookCopy()
  const findings: Finding[] = []
  const known = new Map<string, Promise<string>>()
  for (const scope of SCOPES) {
    for (const agent of AGENTS) {
      for (const lists of HOSTS[agent].hooks[scope] ?? []) {
        if (!isModule(lists)) findings.push(...(await examine(project, scope, agent, lists, known)))
      }
    }
  }
  return findings
}

async function examine(
  project: string,
  scope: Scope,
  agent: AgentName,
  lists: HookLists,
  known: Map<string, Promise<string>>,
): Promise<Finding[]> {
  const path = expand(lists.path)
  const file = read(rootOf(scope, project), path)
  if (file === undefined) return []
  const subject = `hooks of ${HOSTS[agent].title}, ${shownPath(path)}`
  const again = `forge-memory init --agent ${agent}${scope === 'user' ? ' --scope user' : ''}`
  const found = (lists.under ?? ['hooks']).reduce<unknown>((at, key) => (isObject(at) ? at[key] : {}), file)
  const events = isObject(found) ? found : {}
  const wanted = entryFor(lists, siteOf(project, scope))
  const listed = (event: string): unknown[] => (Array.isArray(events[event]) ? events[event] : [])
  const event = lists.events.find((each) => listed(each).some((entry) => isDeepStrictEqual(entry, wanted(each))))
  if (event === undefined) {
    if (!lists.events.some((each) => listed(each).some(runsOurs))) return []
    const message = 'have lines of another release or of another installation'
    return [{ severity: 'warning', code: 'HOOK_LINE', subject, message, hint: `${again} writes them again` }]
  }
  if (file.disableAllHooks === true) {
    const hint = 'remove disableAllHooks from the file'
    return [{ severity: 'warning', code: 'HOOKS_OFF', subject, message: 'are switched off in that file', hint }]
  }
  const entry = wanted(event)
  const key = JSON.stringify(entry)
  // Where the host starts it, because it may begin with a path from there.
  const folder = lists.root === '../' ? dirname(join(project, path)) : project
  if (!known.has(key)) known.set(key, run(folder, entry, event))
  const said = await known.get(key)
  if (said?.startsWith('answer')) return [{ severity: 'ok', code: 'HOOK_READY', subject, message: said }]
  return [{ severity: 'problem', code: 'HOOK_FAILED', subject, message: said ?? '', hint: again }]
}

function read(root: string, path: string): Record<string, unknown> | undefined {
  try {
    const bytes = readConfined(root, path, BYTES_MAX)
    const whole = bytes === undefined ? undefined : openFile(path, bytes.toString('utf8'), 'json').get([])
    return isObject(whole) ? whole : undefined
  } catch {
    // `init` says what is wrong with the file.
    return undefined
  }
}

/** The program that runs, in words for people. */
function way(entry: object): string {
  const program = ownHookProgram()
  const isNative = program !== undefined && JSON.stringify(entry).includes('forge-memory-hook')
  return isNative && isSame(program, hookCopy()) ? 'the native program' : 'Node'
}

/** Runs a command as its host would, with a payload about nothing. */
function run(folder: string, entry: object, event: string): Promise<string> {
  const handler = ('hooks' in entry && Array.isArray(entry.hooks) ? entry.hooks[0] : entry) as Record<string, unknown>
  const command = String(handler.command ?? (process.platform === 'win32' ? handler.powershell : handler.bash))
  const shell =
    handler.args !== undefined ? false : process.platform === 'win32' && 'powershell' in handler ? 'powershell' : true
  return new Promise((resolve) => {
    const began = performance.now()
    const child = spawn(command, { cwd: folder, shell, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true })
    const timer = setTimeout(() => {
      child.kill()
      resolve(`do not end within ${PATIENCE_MS} ms`)
    }, PATIENCE_MS)
    const end = (said: string) => {
      clearTimeout(timer)
      resolve(said)
    }
    child.on('error', ({ message }) => end(`cannot be started: ${message}`))
    child.on('close', (status) => {
      const ms = Math.round(performance.now() - began)
      end(
        status === 0
          ? `answer in ${ms} ms, by ${way(entry)}`
          : `end with ${status}, which some hosts take for a refusal`,
      )
    })
    child.stdin.on('error', () => undefined)
    child.stdin.end(JSON.stringify({ hook_event_name: event, cwd: folder, tool_name: 'none' }))
  })
}
