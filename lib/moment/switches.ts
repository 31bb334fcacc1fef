// The switches with which users disable the memory: `FORGE_MEMORY=off` for everything, `forge-memory pause` for some time, `hooks` in
// `.forge.json` per event. The switch for a single session is in `lib/hooks`, because the user writes it into a prompt.

import { createHash } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseForgeFile } from '../shared/forge-file.js'
import { forgeHome } from '../shared/home.js'
import { writePrivateFile } from '../shared/private-file.js'
import { hasCode, problem } from '../shared/problem.js'
import { isOffByEnvironment } from './environment.js'

export { isOffByEnvironment } from './environment.js'

/** Whether hooks and tools are enabled, and why not. */
export type Standing =
  | { state: 'on' }
  | { state: 'off'; why: string }
  | { state: 'paused'; since: string; until?: string; everywhere: boolean }

/** The events that a project can disable, by this package's names. */
export const HOOK_EVENTS = [
  'session-start',
  'prompt',
  'before-tool',
  'after-tool',
  'compaction',
  'stop',
  'subagent-stop',
  'session-end',
] as const
export type HookEventName = (typeof HOOK_EVENTS)[number]

interface Pause {
  since: string
  until?: string
}

/** The file of the pause of all projects. */
const EVERYWHERE = 'everywhere'
/** Returns whether the memory is enabled in a project now. */
export function standingOf(project: string, now = Date.now()): Standing {
  if (isOffByEnvironment()) return { state: 'off', why: `FORGE_MEMORY=${process.env.FORGE_MEMORY?.trim()}` }
  for (const name of [EVERYWHERE, project]) {
    const pause = readPause(name)
    const isOver = pause?.until !== undefined && Date.parse(pause.until) <= now
    if (pause !== undefined && !isOver) return { state: 'paused', ...pause, everywhere: name === EVERYWHERE }
  }
  return { state: 'on' }
}

/** Pauses the memory for agents in one project, or in all when none is given, for some time or until it is resumed. */
export function pause(project: string | undefined, ms: number | undefined, now = Date.now()): Pause {
  const until = ms === undefined ? {} : { until: new Date(now + ms).toISOString() }
  const made: Pause = { since: new Date(now).toISOString(), ...until }
  writePrivateFile(pathOf(project ?? EVERYWHERE), JSON.stringify(made))
  return made
}

/** Ends the pauses that apply to a project. Returns whether there was one. */
export function resume(project: string): boolean {
  const was = [EVERYWHERE, project].map(readPause)
  for (const name of [EVERYWHERE, project]) rmSync(pathOf(name), { force: true })
  return was.some((each) => each !== undefined)
}

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 }
/** The maximum length of a pause, because users forget longer ones. */
const PAUSE_MAX_MS = 365 * 86_400_000

/** Parses a duration such as `90m`, `2h` or `3d` to milliseconds. Throws `INVALID_INPUT`. */
export function parseDuration(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text.trim()) ?? []
  const ms = Number(count) * (UNITS[unit] ?? 0)
  if (ms > 0 && ms <= PAUSE_MAX_MS) return ms
  throw problem(
    'INVALID_INPUT',
    `for: ${JSON.stringify(text.slice(0, 64))} is not a time such as 30m, 2h or 3d, of a year at the most`,
  )
}

function readPause(name: string): Pause | undefined {
  try {
    const { since, until } = JSON.parse(readFileSync(pathOf(name), 'utf8')) as Partial<Record<keyof Pause, unknown>>
    if (typeof since !== 'string' || !isInstantOrAbsent(until)) return undefined
    return typeof until === 'string' ? { since, until } : { since }
  } catch {
    // An unreadable file is ignored: a memory that is off for no visible reason would be worse.
    return undefined
  }
}

function isInstantOrAbsent(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && !Number.isNaN(Date.parse(value)))
}

function pathOf(name: string): string {
  const key = name === EVERYWHERE ? name : createHash('sha256').update(name).digest('hex').slice(0, 32)
  return join(forgeHome(), 'paused', `${key}.json`)
}

/** The setting `hooks` of a project's `.forge.json`. */
export interface HookSwitches {
  /** The disabled events. */
  off: HookEventName[]
  /** Invalid parts of the setting. */
  problems: string[]
}

/** Returns the hook events that a project has disabled: `"hooks": false`, or `"hooks": {"prompt": false}`. */
export function hookSwitches(project: string): HookSwitches {
  let hooks: unknown
  try {
    hooks = (parseForgeFile(project) as { hooks?: unknown } | null)?.hooks
  } catch (error) {
    // The file does not exist, or the engine reports the problem.
    if (hasCode(error, 'ENOENT') || error instanceof SyntaxError) return { off: [], problems: [] }
    return { off: [], problems: [] }
  }
  if (hooks === undefined || hooks === true) return { off: [], problems: [] }
  if (hooks === false) return { off: [...HOOK_EVENTS], problems: [] }
  if (typeof hooks !== 'object' || hooks === null || Array.isArray(hooks)) {
    return { off: [], problems: ['hooks: expected true, false or an object'] }
  }
  const off: HookEventName[] = []
  const problems: string[] = []
  for (const [name, value] of Object.entries(hooks)) {
    const event = HOOK_EVENTS.find((each) => each === name)
    if (event === undefined)
      problems.push(`hooks.${name.slice(0, 64)}: unknown event; expected one of ${HOOK_EVENTS.join(', ')}`)
    else if (typeof value !== 'boolean') problems.push(`hooks.${name}: expected true or false`)
    else if (!value) off.push(event)
  }
  return { off, problems }
}
