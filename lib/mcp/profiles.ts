// Which tools a server has: a profile by name. Those that are not asked for are not loaded.
import { problem } from '../shared/problem.js'
import type { Tool } from './answer/tool.js'
import type { ToolSet } from './serving.js'
import { tools } from './tools/index.js'

/** The tools of a profile, and what a client is told about them. */
interface Profile {
  tools: Tool[]
  instructions?: string
}

/** The profile of a server that none was named for. */
export const FULL = 'full'

const PROFILES: Record<string, () => Promise<Profile>> = {
  [FULL]: async () => ({ tools }),
  'plan-forge': async () => {
    const { INSTRUCTIONS: instructions, tools: own } = await import('./plan-forge/plan-forge-tools.js')
    return { tools: own, instructions }
  },
}

const loaded = new WeakMap<ToolSet, Profile>()

/** Loads the tools that a name stands for. Rejects with `INVALID_INPUT` when there is no such profile. */
export async function loadTools(name: string): Promise<ToolSet> {
  const load = Object.hasOwn(PROFILES, name) ? PROFILES[name] : undefined
  if (load === undefined) {
    const known = Object.keys(PROFILES).join(', ')
    throw problem('INVALID_INPUT', `tools: unknown profile ${name.slice(0, 64)}; expected one of ${known}`)
  }
  const profile = await load()
  const set = { name, tools: profile.tools.map((tool) => tool.name) }
  loaded.set(set, profile)
  return set
}

/** Returns what `loadTools` has loaded; everything without. Throws `INVALID_INPUT` for what is no set of it. */
export function profileOf(set: ToolSet | undefined): Profile {
  if (set === undefined) return { tools }
  const profile = loaded.get(set)
  if (profile === undefined) throw problem('INVALID_INPUT', 'tools: expected what loadTools has loaded')
  return profile
}
