// What reaches each agent, and what is learned from it: the one table that docs/agents.md, `init` and `doctor --agents` show.
import { AGENTS, type AgentName } from './host.js'
import { HOSTS } from './hosts.js'
import measured from './measured.json'

export const MOMENTS = ['start', 'prompt', 'file', 'command', 'failure', 'marks', 'end', 'store', 'resume'] as const
type Moment = (typeof MOMENTS)[number]

/**
 * `delivered`: seen in the real host by `eval/hosts`. `emitted`: handed to the host, in tests with its own payloads, and what it does with it was not
 * seen. `documented`: written by its documentation only. `none`: there is no channel, or none is written.
 */
type Reach = 'delivered' | 'emitted' | 'documented' | 'none'

interface Capabilities {
  agent: AgentName
  title: string
  /** The version and the day of the measurement; absent where nothing was measured. */
  version?: string
  date?: string
  reach: Record<Moment, Reach>
}

/** What the hooks of an agent do beside what was measured; what is in neither list has no channel. */
interface Claim {
  emitted?: Moment[]
  documented?: Moment[]
}

const NOTES: Moment[] = ['start', 'prompt', 'file', 'command', 'failure']
const LEARNED: Moment[] = ['marks', 'end']
const STORE: Moment[] = ['store']
const RESUMED: Moment[] = ['store', 'resume']

const CLAIMS: Record<AgentName, Claim> = {
  claude: { emitted: LEARNED, documented: RESUMED },
  // Whether it reads the context of `postToolUse` is disputed.
  cursor: { emitted: ['file', 'command', 'failure'], documented: ['start', ...LEARNED, ...STORE] },
  copilot: { documented: [...NOTES, ...LEARNED, ...STORE] },
  'copilot-cli': { emitted: LEARNED, documented: RESUMED },
  codex: { emitted: ['marks'], documented: RESUMED },
  gemini: { emitted: LEARNED, documented: STORE },
  // Without a terminal, as it was driven, it starts no hooks of a session.
  qwen: { emitted: ['start', ...LEARNED], documented: STORE },
  devin: { documented: [...NOTES, ...LEARNED] },
  cline: { documented: [...NOTES, ...LEARNED, ...STORE] },
  opencode: { emitted: ['start', ...LEARNED], documented: RESUMED },
  kilo: { emitted: ['start', ...LEARNED], documented: RESUMED },
  windsurf: { documented: ['marks'] },
  zed: { documented: STORE },
  roo: { documented: STORE },
  kiro: { documented: STORE },
  goose: { documented: [...LEARNED, ...STORE] },
  continue: { documented: STORE },
  amp: { documented: ['prompt', 'file', 'command', 'failure', ...STORE] },
  junie: { documented: ['file', 'command'] },
  antigravity: { documented: ['start', 'prompt', 'file', 'command', 'failure', 'marks'] },
  droid: { documented: [...NOTES, ...LEARNED, ...STORE] },
  pi: { documented: STORE },
  'claude-desktop': {},
}

interface Measured {
  version: string
  date: string
  delivered: string[]
}

const MEASURED: Partial<Record<AgentName, Measured>> = measured

export const CAPABILITIES: Capabilities[] = AGENTS.map((agent) => {
  const { delivered = [], ...seen } = MEASURED[agent] ?? {}
  const { emitted = [], documented = [] } = CLAIMS[agent]
  const reachOf = (moment: Moment): Reach => {
    if (delivered.includes(moment)) return 'delivered'
    if (emitted.includes(moment)) return 'emitted'
    return documented.includes(moment) ? 'documented' : 'none'
  }
  const reach = Object.fromEntries(MOMENTS.map((moment) => [moment, reachOf(moment)])) as Record<Moment, Reach>
  return { agent, title: HOSTS[agent].title, ...seen, reach }
})

const capabilitiesOf = (agent: AgentName) => CAPABILITIES.find((each) => each.agent === agent) as Capabilities

/** The moments that hooks serve. */
const HOOKED: Moment[] = [...NOTES, ...LEARNED]

/** Returns what is not known to reach an agent, in words for people; undefined where everything does, or nothing is meant to: its limits say why. */
export function notDelivered(agent: AgentName): string | undefined {
  const { version, reach } = capabilitiesOf(agent)
  const momentsOf = (...kinds: Reach[]) => HOOKED.filter((moment) => kinds.includes(reach[moment]))
  const missing = momentsOf('none')
  if (missing.length === HOOKED.length) return undefined
  const unseen = momentsOf('emitted', 'documented')
  const parts = [
    ...(missing.length === 0 ? [] : [`has no channel for ${missing.join(', ')}`]),
    ...(unseen.length === 0 ? [] : [`not seen to work in ${version ?? 'the real agent'}: ${unseen.join(', ')}`]),
  ]
  return parts.length === 0 ? undefined : parts.join('; ')
}

/** Returns what reaches an agent, and what is not known to, in words for people. */
export function reachText(agent: AgentName): string {
  const { version, date, reach } = capabilitiesOf(agent)
  const seen = HOOKED.filter((moment) => reach[moment] === 'delivered')
  if (seen.length === 0) return notDelivered(agent) ?? 'takes no notes: MCP and instructions only'
  return [`seen to work in ${version} (${date}): ${seen.join(', ')}`, notDelivered(agent) ?? []].flat().join('; ')
}
