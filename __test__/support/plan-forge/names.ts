// Every name of the entry, called as the older tool's callers do, with what they expect of the answers. It is compiled, never run.
import * as entry from 'forge-memory/plan-forge'

declare const cwd: string
declare const unknown: unknown

export async function memory(): Promise<void> {
  const onCapture = (thought: { content: string; captured_at: string }, deduped: boolean): string =>
    `${thought.content} ${deduped}`
  const { captured, deduped, openBrainQueued, thought, error } = entry.captureMemory({
    content: 'x',
    type: 'gotcha',
    source: 'forge_sweep',
    cwd,
    opts: { onCapture },
  })
  const flags: boolean[] = [captured, deduped, openBrainQueued]
  const told: [string | undefined, string | undefined] = [thought?.created_by, error?.code]

  const drained = await entry.autoDrainOpenBrainQueue(cwd, {
    source: 'cli-drain',
    maxBatch: 50,
    maxAttempts: 5,
    timeoutMs: 10_000,
    dispatcher: async (record: Record<string, unknown>) => ({ ok: record.content !== '' }),
  })
  const outcome: string | number =
    'skipped' in drained ? drained.skipped : 'error' in drained ? drained.error : drained.dlq

  const report = entry.buildMemoryReport(cwd)
  const counts: number[] = [report.queue.pending, report.telemetry.dedupedCount, report.drainTrend.passes]
  const names: string[] = [report.cwd, ...report.l2Files.map((file) => file.name), ...report.orphans]

  const verdict: { valid: boolean; reason?: string | undefined } = entry.validateSourceFormat('forge_sweep')
  const stamped: { type: string; expiresAt?: string } = entry.stampThoughtExpiry(
    { type: 'lesson' },
    { now: Date.now(), overrides: { lesson: null } },
  )
  const fresh: { content: string }[] = entry.filterUnexpiredThoughts([{ content: 'x' }], new Date())
  const isFresh: boolean = entry.isCacheEntryFresh(entry.buildCacheEntry({ key: 'k', query: 'q' }), Date.now())
  const prompt: string = entry.buildWatcherSearchPrompt({ code: 'stalled' }, 'shop')
  const hints: { kind: string; query: string; limit: number }[] = entry.buildPlanBootContext(null, null, {
    maxHints: 3,
  }).hints
  console.log(flags, told, outcome, counts, names, verdict, stamped, fresh, isFresh, prompt, hints)
}

export async function helpers(): Promise<void> {
  const record: Record<string, unknown> = entry.shapeQueueRecord({ content: 'x' })
  const due: string = entry.nextBackoffTimestamp(1, Date.now())
  const { action }: { action: 'retry' | 'dlq' } = entry.applyDeliveryFailure(record, {
    maxAttempts: 5,
    error: 'e',
    now: due,
  })
  const { ready, deferred } = entry.partitionByBackoff([record], new Date())
  const { _v, dlq }: { _v: 1; dlq: number } = entry.buildDrainStatsRecord({ attempted: 1 })
  const pass = await entry.drainOpenBrainQueue([record], () => ({ ok: true }), { maxBatch: 1, source: 'drain' })
  const lists: unknown[][] = [
    pass.delivered,
    pass.deferred,
    pass.dlq,
    pass.archive,
    ready,
    deferred,
    [pass.stats.source],
  ]
  const likeness: number = entry.cosineSimilarity(entry.tokenize('a b'), 'a b')
  const { kept, dropped } = entry.dedupeThoughtsBySimilarity([{ content: 'x' }], { threshold: 0.9 })
  const similar: [{ content: string }, number] | undefined = dropped[0] && [dropped[0].similarTo, dropped[0].similarity]
  const map: { pattern: RegExp; query: string }[] = entry.loadKeywordSearchMap(cwd)
  const texts: string[] = [
    entry.loadProjectContext(cwd, 'shop', 'title'),
    entry.buildMemorySearchBlock('shop', { number: 1, title: 'x' }),
    entry.buildMemoryCaptureBlock('shop', { number: 1, title: 'x' }, 'Phase-1'),
    entry.buildRunSummaryThought({ plan: 'P' }, 'shop').content,
    entry.buildCostAnomalyThought({}, null, 'shop')?.source ?? '',
    entry.shapeWatcherAnomalyThought({ code: 'x' }, { runId: 'r' }, 'forge_watch').type,
    entry.buildCaptureTelemetry({ tool: 'forge_sweep' }).tool,
  ]
  const anomalies: { code: string }[] = entry.dedupeWatcherAnomalies([{ code: 'x' }])
  const isConfigured: boolean = entry.isOpenBrainConfigured(cwd)
  console.log(action, _v, dlq, lists, likeness, kept, similar, map, texts, anomalies, isConfigured)
}

export async function hub(): Promise<void> {
  const live: entry.Hub = await entry.createHub({ port: 3101, cwd })
  live.broadcast({ type: 'slice-started', data: { n: 1 } })
  const types: string[] = live.eventHistory.map(({ type }) => type)
  const { runsScanned, eventsLoaded } = live.rehydrateFromRuns(3)
  live.onAsk('gate', async (payload, { requestId, topic, correlationId, ts }) => [
    payload,
    requestId,
    topic,
    correlationId,
    ts,
  ])
  const answer = await live.ask('gate', {}, { timeoutMs: 100, correlationId: 'c' })
  const payload: unknown = answer.ok ? answer.payload : answer.error.code
  const port: number | undefined = entry.readHubPort(cwd)?.ws
  for (const { ws, label, connectedAt } of live.clients.values()) ws.send(`${label} ${connectedAt}`)
  const wss: entry.SocketServer = { on: () => undefined, close: () => undefined }
  console.log(
    types,
    runsScanned,
    eventsLoaded,
    payload,
    port,
    new entry.Hub(wss, 3101, cwd).port,
    live.listResponders(),
  )
  live.removeAskHandler('gate')
  live.close()
}

export async function lattice(): Promise<void> {
  const deps = { cwd }
  const { filesIndexed, chunks, edges, anvilHits, anvilMisses } = await entry.latticeIndex({
    paths: ['.'],
    since: 'HEAD',
    deps,
  })
  const figures: number[] = [filesIndexed, chunks, edges, anvilHits, anvilMisses]
  const rate: number = entry.latticeStat({ deps }).anvilHitRate
  const asked = { query: 'x', language: 'js', kind: 'function', filePath: 'src', limit: 25, deps }
  const found: string[] = entry.latticeQuery(asked).chunks.map(({ name }) => name)
  const seed = { chunkId: 'x', name: 'x', limit: 25, deps }
  const totals: number[] = [entry.latticeCallers(seed).total, entry.latticeCallees(seed).total]
  const { nodes, truncated } = entry.latticeBlast({ ...seed, direction: 'both', depth: 3 })
  const words: Map<string, number> = entry.tokenizeForSearch('getUser')
  const score: number = entry.scoreChunk('user', { name: 'getUser', filePath: 'a.js' })
  entry._resetChunkerForTesting()
  console.log(figures, rate, found, totals, nodes, truncated, words, score)
}

export async function localRecall(): Promise<void> {
  const { hits, total, corpusSize, backend } = await entry.searchLocalThoughts('q', { cwd, limit: 5, threshold: 0.02 })
  const thoughts: Record<string, unknown>[] = entry.readLocalThoughts(cwd, {
    max: 500,
    sources: ['openbrain-queue.jsonl'],
  })
  const isThere: boolean = await entry.isNeuralEmbeddingAvailable()
  entry._resetNeuralProbeCache()
  const idf: Map<string, number> = entry.buildIdf([entry.tokenize('a')])
  const likeness: number = entry.vecCosineSimilarity(entry.tfIdfVector('a', idf), idf)
  entry.persistIndex(cwd, entry.buildCorpusIndex(thoughts), { corpusSize: 1 })
  const loaded: Map<string, number>[] | undefined = entry.loadCachedIndex(cwd)?.tokenMaps
  entry.clearPersistedIndex(cwd)
  const { exists, stale }: { exists: boolean; stale: boolean | null } = entry.getIndexStatus(cwd)
  console.log(hits[0]?.snippet, total, corpusSize, backend, isThere, likeness, loaded, exists, stale)
}

export async function sync(): Promise<void> {
  try {
    const options = { projectRoot: cwd, dryRun: true, force: false, limit: 10, since: '2026-01-01', output: 'x.md' }
    const { ok, hintsCount, sections, changed, dryRunMode, message } = await entry.syncMemories(options)
    console.log(ok, hintsCount, sections.trajectories, changed, dryRunMode, message)
  } catch (error) {
    if (error instanceof entry.SyncMemoriesError) console.log(error.code satisfies string)
  }
  const trajectories = entry.collectTrajectories(cwd, { since: new Date(), limit: 50 })
  const autoSkills = entry.collectAutoSkills(cwd)
  const decisions = entry.collectBrainDecisions(cwd)
  const text: string = entry.renderMemoryHints({ trajectories, autoSkills, decisions, now: new Date() })
  console.log(
    entry.sha256(text) satisfies string,
    entry.parseAutoSkillFrontmatter(text)?.reuseCount satisfies number | undefined,
  )
}

export function hallmark(): void {
  const provenance = entry.buildProvenance({ toolName: 'forge_sweep', byteRange: [0, 1] })
  const verdict = entry.validateProvenance(unknown)
  const errors: string[] = verdict.ok ? [] : verdict.errors
  console.log(entry.HALLMARK_SCHEMA_VERSION satisfies string, errors, entry.mergeProvenance({}, provenance).provenance)
}
