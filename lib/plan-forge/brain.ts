// Plan Forge's commands for the shared store: a round-trip test, and replaying a file into the queue.
import { randomBytes } from 'node:crypto'
import { extname, join } from 'node:path'
import { importMemory } from '../native.js'
import { openStore } from '../openbrain/client/open.js'
import { readSettings, storePlace } from '../openbrain/settings.js'
import type { Delivery } from '../openbrain/store.js'
import { resolveConfined } from '../shared/confined.js'
import { problem } from '../shared/problem.js'
import { projectNameOf } from './context.js'
import { entriesOf, readText } from './folder.js'
import { captureMemory } from './memory.js'

const SOURCE = 'forge_brain_test'
const REPLAY = 'forge_brain_replay'
const RECORDS_MAX = 500

export interface BrainTest {
  ok: boolean
  marker: string
  hit: boolean
  capturedId: string
  searchedHits: number
  durationMs: number
  endpoint: string
}

/** Round-trip test of the store: writes a thought, finds it, and deletes it. Rejects with the error of the store. */
export async function brainTest(
  cwd: string,
  { project = projectNameOf(cwd), indexDelayMs = 0 }: { project?: string; indexDelayMs?: number } = {},
): Promise<BrainTest> {
  const started = performance.now()
  const settings = readSettings(cwd)
  const store = await openStore(settings)
  const marker = `PFTEST-RT-${randomBytes(5).toString('hex')}`
  const id = `mem_${randomBytes(16).toString('hex')}`
  const delivery = deliveryOf(id, `${marker} round trip of the shared store`, project)
  try {
    const [outcome] = await store.put([delivery])
    if (outcome?.kind !== 'delivered') throw problem('UNAVAILABLE', outcome?.reason ?? 'the store accepted nothing')
    await new Promise((resolve) => setTimeout(resolve, indexDelayMs))
    const { thoughts } = await store.search({ text: marker, project, limit: 25, now: new Date().toISOString() })
    const hit = thoughts.some(({ content }) => content.includes(marker))
    await store.remove([{ ...delivery, action: 'delete' }])
    const { target } = settings
    const endpoint = storePlace(target)
    const durationMs = performance.now() - started
    return { ok: hit, marker, hit, capturedId: id, searchedHits: thoughts.length, durationMs, endpoint }
  } finally {
    await store.close()
  }
}

function deliveryOf(id: string, content: string, project: string): Delivery {
  const now = new Date()
  const thought = {
    id,
    content,
    project,
    type: 'lesson',
    source: SOURCE,
    createdBy: SOURCE,
    capturedAt: now.toISOString(),
    // The expiry removes the test record even when the process dies before it deletes it.
    expiresAt: new Date(now.getTime() + 60_000).toISOString(),
    tags: [],
    confidence: 0,
    metadata: '{}',
  }
  const order = { key: id, action: 'store' as const, id, ids: [id], projects: [project], attempts: 0 }
  return { ...order, enqueuedAt: now.toISOString(), thought }
}

export interface BrainReplay {
  ok: boolean
  sourceType: 'jsonl' | 'markdown' | 'folder'
  source: string
  dryRun: boolean
  attempted: number
  sent: number
  failed: number
  skipped: number
  samples: { index: number; content80: string }[]
  failures: { index: number; error: string; contentPreview: string }[]
  durationMs: number
}

/**
 * Captures each section of a project file, and the drain delivers the captures. Idempotent: a section that was captured
 * before is not captured again. Throws `INVALID_INPUT`, or `UNSAFE_PATH` for a path outside of the project.
 */
export function brainReplay(
  cwd: string,
  { source, project, dryRun = false, maxRecords = RECORDS_MAX }: ReplayOptions,
): BrainReplay {
  const started = performance.now()
  const path = resolveConfined(cwd, source)
  const done = (sourceType: BrainReplay['sourceType'], counts: ReplayCounts): BrainReplay => {
    return { ok: counts.failed === 0, sourceType, source, dryRun, ...counts, durationMs: performance.now() - started }
  }
  if (extname(path) === '.jsonl') {
    const { read, imported, duplicates, lost, unreadable, retired } = importMemory(path, { projectDir: cwd, dryRun })
    const counts = { attempted: read, sent: imported, failed: lost + unreadable, skipped: duplicates + retired }
    return done('jsonl', { ...counts, samples: [], failures: [] })
  }
  const isFile = extname(path) === '.md'
  const files = isFile
    ? [source]
    : entriesOf(cwd, source).flatMap(({ name }) => (name.endsWith('.md') ? [join(source, name)] : []))
  if (files.length === 0)
    throw problem('INVALID_INPUT', 'source: expected a .jsonl or .md file, or a folder of .md files')
  const sections = files.flatMap((file) => sectionsOf(readText(cwd, file) ?? '')).slice(0, maxRecords)
  return done(isFile ? 'markdown' : 'folder', captureAll(cwd, sections, project, dryRun))
}

export interface ReplayOptions {
  source: string
  project?: string | undefined
  dryRun?: boolean | undefined
  maxRecords?: number | undefined
}

type ReplayCounts = Pick<BrainReplay, 'attempted' | 'sent' | 'failed' | 'skipped' | 'samples' | 'failures'>

function captureAll(cwd: string, sections: string[], project: string | undefined, dryRun: boolean): ReplayCounts {
  const samples = sections.slice(0, 3).map((text, index) => ({ index, content80: text.slice(0, 80) }))
  const counts: ReplayCounts = { attempted: sections.length, sent: 0, failed: 0, skipped: 0, samples, failures: [] }
  if (dryRun) return counts
  for (const [index, content] of sections.entries()) {
    const named = project === undefined ? {} : { project }
    const { captured, deduped, error } = captureMemory({
      content,
      type: 'lesson',
      source: REPLAY,
      created_by: REPLAY,
      cwd,
      ...named,
    })
    counts[captured ? 'sent' : deduped ? 'skipped' : 'failed'] += 1
    if (error) counts.failures.push({ index, error: error.message, contentPreview: content.slice(0, 80) })
  }
  return counts
}

/**
 * Splits a Markdown document at its level-two headings, ignoring those in fenced code. Text before the first heading is
 * a section of its own.
 */
function sectionsOf(text: string): string[] {
  const sections: string[][] = [[]]
  let isCode = false
  for (const line of text.split('\n')) {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode
    if (!isCode && line.startsWith('## ')) sections.push([])
    sections.at(-1)?.push(line)
  }
  return sections.map((lines) => lines.join('\n').trim()).filter((section) => section !== '')
}
