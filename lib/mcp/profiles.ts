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
const core: Profile = { tools: coreTools }

/** The profiles by their names. A tool that several of them have is that of the first. */
async function loadProfiles(): Promise<Map<string, () => Promise<Profile>>> {
  const all = new Map<string, () => Promise<Profile>>([
    ['core', async () => core],
    ['full', loadAll],
  ])
  for (const { profile, loadTools } of await loadFeatures()) if (profile !== undefined) all.set(profile, loadTools)
  return all
}

async function loadAll(): Promise<Profile> {
  const tools = [...(await import('./tools/index.js')).tools]
  for (const { profile, before, loadTools } of await loadFeatures()) {
    if (profile !== undefined) continue
    const at = tools.findIndex(({ name }) => name === before)
    tools.splice(at < 0 ? tools.length : at, 0, ...(await loadTools()).tools)
  }
  return { tools }
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
  const profiles = await loadProfiles()
  const named = profiles.get(name)
  if (named !== undefined) return named()
  for (const load of profiles.values()) {
    const tool = (await load()).tools.find((each) => each.name === name)
    if (tool !== undefined) return { tools: [tool] }
  }
  const known = [...profiles.keys()].join(', ')
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
