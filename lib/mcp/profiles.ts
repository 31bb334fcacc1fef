// The tools that a server offers: a profile, or a list of tool names. All but those of the profile `core` are loaded on
// demand: their schemas would be a tenth of every start.
import { loadFeatures } from '../features.js'
import { problem } from '../shared/problem.js'
import type { Tool } from './answer/tool.js'
import type { ToolSet } from './serving.js'
import { coreTools } from './tools/core.js'

/** The tools of a profile, and the server instructions that clients get. */
interface Profile {
  tools: Tool[]
  instructions?: string
}

/** The default profile. */
const CORE = 'core'
const FULL = 'full'

const core: Profile = { tools: coreTools }

const PROFILES: Record<string, () => Promise<Profile>> = {
  [CORE]: async () => core,
  [FULL]: async () => ({ tools: await loadAll() }),
}

async function loadAll(): Promise<Tool[]> {
  return (await import('./tools/index.js')).tools
}

const loaded = new WeakMap<ToolSet, Profile>()

/** Loads tools by name: a profile, or a comma-separated list of profiles and tools. Rejects with `INVALID_INPUT`. */
export async function loadTools(names: string): Promise<ToolSet> {
  const parts = names.split(',').map((part) => part.trim())
  const profiles: Profile[] = []
  for (const part of parts) profiles.push(await loadPart(part))
  const [first] = profiles
  const profile = profiles.length === 1 && first !== undefined ? first : { tools: merge(profiles) }
  const set = { name: parts.join(','), tools: profile.tools.map((tool) => tool.name) }
  loaded.set(set, profile)
  return set
}

async function loadPart(name: string): Promise<Profile> {
  if (Object.hasOwn(PROFILES, name)) return (PROFILES[name] as () => Promise<Profile>)()
  const isNamed = (tool: Tool) => tool.name === name
  let tool = coreTools.find(isNamed) ?? (await loadAll()).find(isNamed)
  const features = tool === undefined ? await loadFeatures() : []
  for (const feature of features) {
    if (feature.profile === name) return feature.loadTools()
    tool ??= (await feature.loadTools()).tools.find(isNamed)
  }
  if (tool !== undefined) return { tools: [tool] }
  const known = [...Object.keys(PROFILES), ...features.map(({ profile }) => profile)].join(', ')
  throw problem(
    'INVALID_INPUT',
    `tools: unknown profile ${name.slice(0, 64)}; expected one of ${known}, or names of tools`,
  )
}

/** When several profiles have a tool of the same name, the first one is used. */
function merge(profiles: Profile[]): Tool[] {
  const byName = new Map<string, Tool>()
  for (const tool of profiles.flatMap((profile) => profile.tools)) {
    if (!byName.has(tool.name)) byName.set(tool.name, tool)
  }
  return [...byName.values()]
}

/**
 * Returns the profile of a `ToolSet`; the default profile when absent. Throws `INVALID_INPUT` for an object that
 * `loadTools` did not return.
 */
export function profileOf(set: ToolSet | undefined): Profile {
  if (set === undefined) return core
  const profile = loaded.get(set)
  if (profile === undefined) throw problem('INVALID_INPUT', 'tools: expected what loadTools has loaded')
  return profile
}
