// A server as forge tooling has one: hub, HTTP, capture, report, drain, search, code graph, hints, out of nothing but the names of the
// entry. A test compiles it strictly, as an ES module and as CommonJS, and runs both.
import { createServer } from 'node:http'
import {
  autoDrainOpenBrainQueue,
  buildMemoryReport,
  buildPlanBootContext,
  buildRunSummaryThought,
  buildWatcherSearchPrompt,
  type CaptureAnswer,
  type CaptureInput,
  captureMemory,
  createHub,
  dedupeWatcherAnomalies,
  getIndexStatus,
  isNeuralEmbeddingAvailable,
  isOpenBrainConfigured,
  latticeBlast,
  latticeCallees,
  latticeCallers,
  latticeIndex,
  latticeQuery,
  latticeStat,
  loadKeywordSearchMap,
  readHubPort,
  searchLocalThoughts,
  shapeWatcherAnomalyThought,
  syncMemories,
  validateProvenance,
} from 'forge-memory/plan-forge'

interface Body {
  content?: unknown
  type?: string
  source?: string
  query?: string
  name?: string
  anomalies?: { code: string; message: string; severity: string }[]
  record?: unknown
}

async function main(cwd: string): Promise<void> {
  const hub = await createHub({ port: 0, cwd })
  const deps = { cwd }
  const plan = { name: 'Phase-1', slices: [{ title: 'Add tests' }] }

  const capture = (input: Omit<CaptureInput, 'cwd' | 'opts'>): CaptureAnswer =>
    captureMemory({
      ...input,
      cwd,
      opts: { onCapture: (thought, deduped) => hub.broadcast({ type: 'memory-captured', thought, deduped }) },
    })

  const routes: Record<string, (body: Body) => unknown> = {
    'POST /api/memory/capture': ({ content, type = 'decision', source = 'api/memory' }) =>
      capture({ content, type, source }),
    'GET /api/memory/report': () => buildMemoryReport(cwd),
    'POST /api/memory/drain': () =>
      autoDrainOpenBrainQueue(cwd, { dispatcher: () => ({ ok: true }), source: 'rest-drain', maxBatch: 50 }),
    'GET /api/memory': () => ({ configured: isOpenBrainConfigured(cwd), map: loadKeywordSearchMap(cwd).length }),
    'GET /api/hub': () => ({ running: true, port: readHubPort(cwd)?.ws, clients: hub.getClients() }),
    'GET /api/history': () => hub.getHistory(10).map(({ type }) => type),
    'POST /api/search': ({ query = '' }) => searchLocalThoughts(query, { cwd }),
    'GET /api/embedding/status': async () => ({ neural: await isNeuralEmbeddingAvailable() }),
    'GET /api/local-recall/status': () => getIndexStatus(cwd),
    'POST /api/lattice/index': () => latticeIndex({ deps }),
    'GET /api/lattice/stat': () => latticeStat({ deps }),
    'POST /api/lattice/query': ({ query }) => latticeQuery({ ...(query !== undefined && { query }), deps }),
    'POST /api/lattice/calls': ({ name = '' }) => ({
      callers: latticeCallers({ name, deps }).chunks.map((chunk) => chunk.name),
      callees: latticeCallees({ name, deps }).chunks.map((chunk) => chunk.name),
      reach: latticeBlast({ name, deps }).nodes.length,
    }),
    'POST /api/sync': () => syncMemories({ projectRoot: cwd, dryRun: true }),
    'GET /api/boot': () => buildPlanBootContext(plan, 'shop'),
    'POST /api/run': () => {
      const summary = { plan: 'Phase-1', status: 'completed', results: { passed: 3, failed: 0 } }
      return capture({ content: buildRunSummaryThought(summary, 'shop'), type: 'lesson', source: 'forge_run_plan' })
    },
    'POST /api/watch': ({ anomalies = [] }) =>
      dedupeWatcherAnomalies(anomalies).map((anomaly) => ({
        prompt: buildWatcherSearchPrompt(anomaly, 'shop'),
        captured: capture(shapeWatcherAnomalyThought(anomaly, { targetPath: cwd, runId: 'r1' })).captured,
      })),
    'POST /api/provenance': ({ record }) => validateProvenance(record),
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const route = routes[`${request.method} ${request.url}`]
    const body = chunks.length > 0 ? (JSON.parse(String(Buffer.concat(chunks))) as Body) : {}
    response.end(JSON.stringify(route ? await route(body) : { error: 'not found' }))
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    const http = typeof address === 'object' && address !== null ? address.port : 0
    console.log(JSON.stringify({ http, ws: hub.port }))
  })
  process.once('SIGTERM', () => {
    void hub.close().then(() => {
      server.close(() => process.exit(0))
      server.closeAllConnections()
    })
  })
}

void main(process.argv[2] ?? process.cwd())
