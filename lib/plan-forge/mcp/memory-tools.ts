import { z } from 'zod'
import { declared } from '../../mcp/answer/declared.js'
import type { Capture, SyncMemoriesOptions } from '../../native.js'
import { given } from '../../shared/given.js'
import { problem } from '../../shared/problem.js'
import { brainReplay, brainTest } from '../brain.js'
import { searchLocalThoughts } from '../local-recall.js'
import { readLocalThoughts } from '../local-thoughts.js'
import { buildMemoryReport, captureMemory } from '../memory.js'
import { embeddingStatus, localRecallStatus } from '../presets.js'
import { hallmarkShow, hallmarkVerify } from '../provenance.js'
import { buildCorpusIndex, clearPersistedIndex, persistIndex } from '../recall-index.js'
import { search } from '../search.js'
import { syncMemories } from '../sync.js'
import { timeline } from '../timeline.js'
import { define, READS, WRITES } from './define.js'

const captured = declared<Capture>('Capture')
const texts = z.array(z.string()).max(64).optional()

export const memoryTools = [
  define({
    name: 'forge_memory_capture',
    title: 'Capture',
    description: 'Store what was learned in the files of the project, and queue it for the shared store.',
    fields: {
      content: captured.field('content'),
      type: captured.field('type').default('decision'),
      ...captured.bare('project', 'source', 'created_by'),
    },
    annotations: WRITES,
    run({ content, type, source = 'forge_memory_capture', project, createdBy }, cwd) {
      const named = given({ project, created_by: createdBy })
      const { error, ...answer } = captureMemory({ content, type, source, cwd, ...named })
      if (error) throw problem(error.code, error.message, error.hint)
      return { ok: true, ...answer }
    },
  }),
  define({
    name: 'forge_memory_report',
    title: 'Report on the memory',
    description: 'Inventory of the memory: files, queue, drain trend, telemetry, cache, orphans.',
    annotations: READS,
    run: (_, cwd) => buildMemoryReport(cwd),
  }),
  define({
    name: 'forge_brain_test',
    title: 'Test the shared store',
    description: 'Store a thought in the shared store, find it, and delete it again.',
    fields: { project: z.string().optional(), indexDelayMs: z.number().int().min(0).max(30_000).optional() },
    annotations: { ...WRITES, openWorldHint: true },
    run: (input, cwd) => brainTest(cwd, given(input)),
  }),
  define({
    name: 'forge_brain_replay',
    title: 'Replay thoughts',
    description:
      'Capture the thoughts of a .jsonl or .md file, or of a folder of .md files, within the project; known ones are skipped.',
    fields: {
      source: z.string().min(1),
      project: z.string().optional(),
      dryRun: z.boolean().optional(),
      maxRecords: z.number().int().min(1).max(10_000).optional(),
      rate: z.number().optional().describe('No effect: the queue paces itself.'),
      maxRetries: z.number().optional().describe('No effect: the queue retries by itself.'),
    },
    annotations: WRITES,
    run: ({ source, project, dryRun, maxRecords }, cwd) => brainReplay(cwd, { source, project, dryRun, maxRecords }),
  }),
  define({
    name: 'forge_sync_memories',
    title: 'Sync hints',
    description: 'Write the best of the memory to .github/copilot-memory-hints.md, which Copilot loads automatically.',
    fields: declared<SyncMemoriesOptions>('SyncMemoriesOptions').bare('dryRun', 'force', 'limit', 'since', 'output'),
    annotations: WRITES,
    run: (input, cwd) => syncMemories({ projectRoot: cwd, ...given(input) }),
  }),
  define({
    name: 'forge_local_search',
    title: 'Search the local thoughts',
    description: 'Find thoughts in the files of the project, whichever tool captured them.',
    fields: {
      query: z.string().min(1),
      limit: z.number().int().min(1).max(20).optional(),
      threshold: z.number().min(0).max(1).optional(),
      backend: z.enum(['auto', 'tfidf', 'neural']).optional(),
      sources: texts,
    },
    annotations: READS,
    run: ({ query, backend, ...rest }, cwd) =>
      searchLocalThoughts(query, { cwd, noCache: true, ...given({ ...rest, forceBackend: backend }) }),
  }),
  define({
    name: 'forge_embedding_status',
    title: 'Embedding status',
    description: 'Whether texts can be found by meaning on this machine.',
    annotations: READS,
    run: (_, cwd) => embeddingStatus(cwd),
  }),
  define({
    name: 'forge_local_recall_status',
    title: 'Status of the local recall index',
    description: 'Show, write or remove the index file that other programs read; searches do without it.',
    fields: { subcommand: z.enum(['status', 'warm', 'clear']).optional() },
    annotations: WRITES,
    run({ subcommand = 'status' }, cwd) {
      if (subcommand === 'warm') persistIndex(cwd, buildCorpusIndex(readLocalThoughts(cwd)))
      if (subcommand === 'clear') clearPersistedIndex(cwd)
      const actions = { warm: { action: 'warmed' }, clear: { action: 'cleared' }, status: {} }
      return { ...localRecallStatus(cwd), ...actions[subcommand] }
    },
  }),
  define({
    name: 'forge_search',
    title: 'Search everything',
    description: 'Find captures, events of the hub and of runs, drains and incidents by words.',
    fields: {
      query: z.string().min(1),
      tags: texts,
      since: z.string().optional(),
      correlationId: z.string().optional(),
      sources: texts,
      limit: z.number().int().min(1).max(200).optional(),
    },
    annotations: READS,
    run: (input, cwd) => search(cwd, input),
  }),
  define({
    name: 'forge_timeline',
    title: 'Timeline',
    description: 'What happened in a window of time, from all sources, in order or by correlation.',
    fields: {
      from: z.string().optional().describe('ISO 8601, or an age such as 24h (the default).'),
      to: z.string().optional(),
      correlationId: z.string().optional(),
      sources: texts,
      events: texts.describe('Only these types; a * stands for anything.'),
      groupBy: z.enum(['time', 'correlation']).optional(),
      limit: z.number().int().min(1).max(2000).optional(),
    },
    annotations: READS,
    run: (input, cwd) => timeline(cwd, input),
  }),
  define({
    name: 'forge_hallmark_show',
    title: 'Show a record',
    description: 'A record with its provenance; without an id, the hallmarks of Plan Forge.',
    fields: { id: z.string().min(1).optional() },
    annotations: READS,
    run: ({ id }, cwd) => hallmarkShow(cwd, id),
  }),
  define({
    name: 'forge_hallmark_verify',
    title: 'Verify a record',
    description: 'Whether a record and its source file are unchanged.',
    fields: { id: z.string().min(1) },
    annotations: READS,
    run: ({ id }, cwd) => hallmarkVerify(cwd, id),
  }),
]
