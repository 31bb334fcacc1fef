// What Plan Forge adds to the server and to the tools; its commands are in `commands/`.

export const profile = 'plan-forge'
export const loadTools = () => import('../mcp/plan-forge-tools.js')
export const loadRoutes = async () => (await import('../http/routes.js')).planForgeRoutes
