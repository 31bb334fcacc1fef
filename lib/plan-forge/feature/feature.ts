/** What Plan Forge adds to the server and to the tools; its commands are in `commands/`. */
export const planForge = {
  profile: 'plan-forge',
  async loadTools() {
    const { INSTRUCTIONS: instructions, tools } = await import('../mcp/plan-forge-tools.js')
    return { tools, instructions }
  },
  async loadRoutes() {
    return (await import('../http/routes.js')).planForgeRoutes
  },
}
