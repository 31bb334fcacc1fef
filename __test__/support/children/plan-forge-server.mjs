// A server as forge tooling has one: hub, HTTP, capture, report, search, code graph, out of nothing but the names of the entry.
import { createServer } from 'node:http'
import {
  autoDrainOpenBrainQueue,
  buildMemoryReport,
  buildPlanBootContext,
  captureMemory,
  createHub,
  latticeIndex,
  latticeQuery,
  latticeStat,
  readHubPort,
  searchLocalThoughts,
  syncMemories,
} from 'forge-memory/plan-forge'

const cwd = process.argv[2]
const hub = await createHub({ port: 0, cwd, auth: 'local' })
const plan = { name: 'Phase-1', slices: [{ title: 'Add tests' }] }

const routes = {
  'POST /api/memory/capture': ({ content, type, source }) => {
    const onCapture = (thought, deduped) => hub.broadcast({ type: 'memory-captured', thought, deduped })
    return captureMemory({ content, type, source, cwd, opts: { onCapture } })
  },
  'GET /api/memory/report': () => buildMemoryReport(cwd),
  'POST /api/memory/drain': () =>
    autoDrainOpenBrainQueue(cwd, { dispatcher: () => ({ ok: true }), source: 'rest-drain' }),
  'GET /api/hub': () => ({ running: true, port: readHubPort(cwd).ws, clients: hub.getClients() }),
  'POST /api/search': ({ query }) => searchLocalThoughts(query, { cwd }),
  'POST /api/lattice/index': () => latticeIndex({ deps: { cwd } }),
  'GET /api/lattice/stat': () => latticeStat({ deps: { cwd } }),
  'POST /api/lattice/query': ({ query }) => latticeQuery({ query, deps: { cwd } }),
  'POST /api/sync': () => syncMemories({ projectRoot: cwd, dryRun: true }),
  'GET /api/boot': () => buildPlanBootContext(plan, 'shop'),
}

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const route = routes[`${request.method} ${request.url}`]
  const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks)) : {}
  response.end(JSON.stringify(route ? await route(body) : { error: 'not found' }))
})
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ http: server.address().port, ws: hub.port })))
process.once('SIGTERM', async () => {
  await hub.close()
  server.close(() => process.exit(0))
  server.closeAllConnections()
})
