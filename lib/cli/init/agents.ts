import { AGENTS, type AgentName, findTraces, HOSTS, type Scope } from '../../init/index.js'

/** Shows all agents, those that were found first and marked; undefined when the user leaves. */
export async function pickAgents(project: string, scope: Scope): Promise<AgentName[] | undefined> {
  const { pickMany } = await import('../page/picker.js')
  const found = new Map(findTraces(project, scope).map(({ agent, by }) => [agent, by]))
  const isWritten = (agent: AgentName) =>
    [HOSTS[agent].server, HOSTS[agent].hooks, HOSTS[agent].texts].some((files) => files[scope] !== undefined)
  const others = AGENTS.filter((agent) => !found.has(agent) && isWritten(agent))
  const marked = [...found.keys()].filter(isWritten)
  const choices = [...marked, ...others].map((agent) => {
    const by = found.get(agent)
    const label = by === undefined ? HOSTS[agent].title : `${HOSTS[agent].title}  (found: ${by})`
    return { value: agent, label }
  })
  const where = scope === 'project' ? 'in this project' : 'in all your projects'
  return pickMany(`Which agents should use forge-memory ${where}?`, choices, marked)
}
