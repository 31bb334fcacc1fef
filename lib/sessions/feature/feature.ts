// What past sessions add to the server and to the tools; their commands are in `commands/`.

export const before = 'capture_thought'
export const loadTools = () => import('../mcp/sessions-tools.js')
export const loadRoutes = async () => (await import('../http/routes.js')).sessionRoutes
