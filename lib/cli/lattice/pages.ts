import type { LatticeAnswer, LatticeBlast, LatticeChunk, LatticeIndexOutcome, LatticeStat } from '../../native.js'
import { bytes, counted } from '../../text/amount.js'
import { oneLine } from '../../text/printable.js'
import { bar } from '../page/bar.js'
import { dateTime } from '../page/moment.js'
import type { Page } from '../page/page.js'
import { type Column, pairs, table } from '../page/table.js'

const COLUMNS: Column[] = [
  { title: 'WHERE' },
  { title: 'KIND' },
  { title: 'NAME' },
  { title: 'SIGNATURE', flexible: true },
]

export function indexText(outcome: LatticeIndexOutcome): string {
  const { filesIndexed, filesChanged, filesRemoved, chunks, edges } = outcome
  const lines = [
    `${counted(filesIndexed, 'file')}: ${counted(filesChanged, 'changed', 'changed')}, ${filesRemoved} removed`,
    `${counted(chunks, 'chunk')}, ${counted(edges, 'edge')}`,
  ]
  const skipped = Object.entries(outcome.skipped).map(([reason, count]) => `${count} ${reason}`)
  if (skipped.length > 0) lines.push(`skipped: ${skipped.sort().join(', ')}`)
  if (outcome.limit !== undefined) lines.push(limitText(outcome.limit))
  return lines.join('\n')
}

/** Says that a run left something out, and what helps. */
export function limitText(limit: 'time' | 'memory'): string {
  const option = limit === 'time' ? '--max-seconds' : '--max-memory'
  return `incomplete: the run reached the ${limit} limit; run it again, or with a higher ${option}`
}

/** Callers are shown where they call, everything else where it begins. */
export function found(answer: LatticeAnswer, page: Page, isCaller = false): string {
  const names = answer.unresolvedNames ?? []
  const outside = names.length > 0 ? [`outside: ${names.map(oneLine).join(', ')}`] : []
  if (answer.chunks.length === 0) return [oneLine(answer.message), ...outside].join('\n\n')
  return [rows(answer.chunks, page, isCaller), ...outside, page.paint('dim', oneLine(answer.message))].join('\n\n')
}

export function blastText(blast: LatticeBlast, page: Page): string {
  if (blast.nodes.length === 0) return oneLine(blast.message)
  const columns = [{ title: 'AWAY', align: 'right' as const }, { title: 'WHERE' }, { title: 'PATH', flexible: true }]
  const arrow = page.unicode ? ' → ' : ' > '
  const lines = blast.nodes.map((node) => [
    String(node.distance ?? 0),
    place(node),
    oneLine((node.path ?? []).join(arrow)) + how(node, page),
  ])
  return `${table(page, columns, lines)}\n\n${page.paint('dim', oneLine(blast.message))}`
}

export function statText(stat: LatticeStat, page: Page): string {
  if (stat.lastIndexedAt === null) return 'there is no index yet: run forge-memory lattice index'
  const ways = Object.entries(stat.resolved).sort(([, a], [, b]) => b - a)
  const facts: [string, string][] = [
    ['files', `${stat.filesIndexed}, ${stat.filesSkipped} skipped`],
    ['chunks', String(stat.chunks)],
    ['edges', `${stat.edges}: ${ways.map(([way, count]) => `${count} ${way}`).join(', ')}`],
    ['size', bytes(stat.indexBytes)],
    ['last change', dateTime(stat.lastIndexedAt)],
  ]
  const languages = Object.entries(stat.languages).sort(([, a], [, b]) => b - a)
  const largest = languages[0]?.[1] ?? 0
  const languageRows = languages.map(([name, count]) => [
    name,
    String(count),
    page.paint('cyan', bar(page, count, largest)),
  ])
  const hot = stat.hottest.map(({ chunk, callers }) => [String(callers), oneLine(chunk.name), place(chunk)])
  if (stat.limit !== undefined) facts.push(['limit', limitText(stat.limit)])
  const parts = [
    pairs(page, facts),
    table(page, [{ title: 'LANGUAGE' }, { title: 'CHUNKS', align: 'right' }, { title: '' }], languageRows),
  ]
  if (hot.length > 0)
    parts.push(table(page, [{ title: 'CALLERS', align: 'right' }, { title: 'HOTTEST' }, { title: 'WHERE' }], hot))
  return parts.join('\n\n')
}

function rows(chunks: LatticeChunk[], page: Page, isCaller: boolean): string {
  const lines = chunks.map((chunk) => [
    place(chunk, isCaller ? chunk.callLine : undefined),
    chunk.kind,
    oneLine(chunk.owner ? `${chunk.owner}.${chunk.name}` : chunk.name) + how(chunk, page),
    oneLine(chunk.signature),
  ])
  return table(page, COLUMNS, lines)
}

/** What terminals and editors open on a click. */
function place(chunk: LatticeChunk, line = chunk.startLine): string {
  return `${oneLine(chunk.filePath)}:${line}`
}

function how({ resolved, candidates, stale }: LatticeChunk, page: Page): string {
  const marks = [
    resolved === 'name' ? (candidates ? `by name, one of ${candidates}` : 'by name') : '',
    stale === undefined ? '' : `file ${stale}`,
  ].filter((mark) => mark !== '')
  return marks.length > 0 ? ` ${page.paint('dim', `(${marks.join('; ')})`)}` : ''
}
