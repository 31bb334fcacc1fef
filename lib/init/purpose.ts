// Why `init` writes a file, in words for people.

export type Part = 'server' | 'hooks' | 'skill' | 'instructions' | 'merging' | 'ignoring'

/** More names than this are counted. */
const NAMED_MAX = 2

const REASONS: Record<Part, (agents: string) => string> = {
  server: (agents) => `starts the MCP server for ${agents}`,
  hooks: (agents) => `hooks that give ${agents} notes`,
  skill: (agents) => `tells ${agents} how to use the memory`,
  instructions: (agents) => `tells ${agents} when to recall and to save`,
  merging: () => 'git merges memory files by record',
  ignoring: () => 'keeps keys and derived files out of commits',
}

/** Tells the purpose of the edits of one file. */
export function purposeOf(edits: { part: Part; agent?: string }[]): string {
  const agentsByPart = new Map<Part, Set<string>>()
  for (const { part, agent } of edits) {
    const agents = agentsByPart.get(part) ?? new Set()
    agentsByPart.set(part, agent === undefined ? agents : agents.add(agent))
  }
  return [...agentsByPart].map(([part, agents]) => REASONS[part](named([...agents]))).join('; ')
}

function named(agents: string[]): string {
  return agents.length > NAMED_MAX ? `${agents.length} agents` : agents.join(' and ')
}
