// What the code graph adds to the server and to the tools; its commands are in `commands/`.

export const before = 'ralph_memory_list'
export const loadTools = () => import('../mcp/lattice-tools.js')
export const loadRoutes = async () => (await import('../http/routes.js')).latticeRoutes
