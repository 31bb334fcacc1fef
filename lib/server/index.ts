/** `forge-memory/server`: hub, HTTP API, dashboard, drain worker and watcher in one process. */
export { type ServeOptions, type Server, serve } from './serve.js'
