import { join } from 'node:path'
import type { LatticeAnswer, LatticeBlast, LatticeChunk, LatticeIndexOutcome, LatticeStat } from '../../native.js'
import { bytes, counted } from '../../text/amount.js'
import { oneLine } from '../../text/printable.js'
import { bar } from '../page/bar.js'
import { dateTime } from '../page/moment.js'
import type { Page } from '../page/page.js'
import { type CellLink, flexible, pairs, right, table } from '../page/table.js'

const COLUMNS = ['WHERE', 'KIND', 'NAME', flexible('SIGNATURE')]

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

/** Warns that a run was incomplete, with a way to complete it. */
export function limitText(limit: 'time' | 'memory'): string {
  const option = limit === 'time' ? '--max-seconds' : '--max-memory'
  return `incomplete: the run reached the ${limit} limit; run it again, or with a higher ${option}`
}

/** Renders hits. Callers are shown at the line of the call, all others at their first line. */
export function found(answer: LatticeAnswer, page: Page, project: string, isCaller = false): string {
  const names = answer.unresolvedNames ?? []
  const outside = names.length > 0 ? [`outside: ${names.map(oneLine).join(', ')}`] : []
  if (answer.chunks.length === 0) return [oneLine(answer.message), ...outside].join('\n\n')
  return [rows(answer.chunks, page, project, isCaller), ...outside, page.paint('quiet', oneLine(answer.message))].join(
    '\n\n',
  )
}

export function blastText(blast: LatticeBlast, page: Page, project: string): string {
  if (blast.nodes.length === 0) return oneLine(blast.message)
  const columns = [right('AWAY'), 'WHERE', flexible('PATH')]
  const arrow = page.unicode ? ' → ' : ' > '
  const lines = blast.nodes.map((node) => [
    String(node.distance ?? 0),
    place(node),
    oneLine((node.path ?? []).join(arrow)) + how(node, page),
  ])
  const links = blast.nodes.map((node) => linkTo(node, project))
  const seeds = blast.nodes.filter(({ distance }) => distance === 0)
  const choice = seeds.map(({ id, filePath, startLine }) => `  --id ${id}  ${oneLine(filePath)}:${startLine}`)
  const among =
    seeds.length < 2 ? [] : [`${seeds.length} definitions have this name; one of them alone:`, ...choice, '']
  return [table(page, columns, lines, links), '', ...among, page.paint('quiet', oneLine(blast.message))].join('\n')
}

export function statText(stat: LatticeStat, page: Page, project: string): string {
  if (stat.lastIndexedAt === null) return 'there is no index yet: run forge-memory code index'
  const ways = Object.entries(stat.resolved).sort(byCount)
  const facts: [string, string][] = [
    ['files', `${stat.filesIndexed}, ${stat.filesSkipped} skipped (too large, binary or not readable)`],
    ['chunks', `${stat.chunks} (files and their definitions)`],
    [
      'edges',
      `${stat.edges} (calls and imports): ${ways.map(([way, count]) => `${count} ${WAYS[way] ?? way}`).join(', ')}`,
    ],
    ['size', bytes(stat.indexBytes)],
    ['last change', dateTime(stat.lastIndexedAt)],
  ]
  const languages = Object.entries(stat.languages).sort(byCount)
  const largest = languages[0]?.[1] ?? 0
  const languageRows = languages.map(([name, count]) => [
    name,
    String(count),
    page.paint('accent', bar(page, count, largest)),
  ])
  const hot = stat.hottest.map(({ chunk, callers }) => [String(callers), oneLine(chunk.name), place(chunk)])
  if (stat.limit !== undefined) facts.push(['limit', limitText(stat.limit)])
  const parts = [pairs(page, facts), table(page, ['LANGUAGE', right('CHUNKS'), ''], languageRows)]
  if (hot.length > 0)
    parts.push(
      table(
        page,
        [right('CALLERS'), flexible('HOTTEST'), 'WHERE'],
        hot,
        stat.hottest.map(({ chunk }) => linkTo(chunk, project)),
      ),
    )
  return parts.join('\n\n')
}

/** How the target of an edge was found. */
const WAYS: Record<string, string> = {
  exact: 'certain, in the same file',
  import: 'certain, by an import',
  name: 'likely, by the name alone',
  none: 'out of the project, or not known',
}

/** The largest first; equal ones by name, so that the same index is shown in the same way. */
function byCount([one, a]: [string, number], [other, b]: [string, number]): number {
  return b - a || (one < other ? -1 : 1)
}

function rows(chunks: LatticeChunk[], page: Page, project: string, isCaller: boolean): string {
  const lines = chunks.map((chunk) => [
    place(chunk, isCaller ? chunk.callLine : undefined),
    chunk.kind,
    oneLine(chunk.owner ? `${chunk.owner}.${chunk.name}` : chunk.name) + how(chunk, page),
    oneLine(chunk.signature),
  ])
  const links = chunks.map((chunk) => linkTo(chunk, project, isCaller ? chunk.callLine : undefined))
  return table(page, COLUMNS, lines, links)
}

function linkTo(chunk: LatticeChunk, project: string, line = chunk.startLine): CellLink {
  return { text: place(chunk, line), path: join(project, chunk.filePath) }
}

/** Formats `path:line`, which terminals and editors make clickable. */
function place(chunk: LatticeChunk, line = chunk.startLine): string {
  return `${oneLine(chunk.filePath)}:${line}`
}

function how({ resolved, candidates, stale }: LatticeChunk, page: Page): string {
  const marks = [
    resolved === 'name' ? (candidates ? `by name, one of ${candidates}` : 'by name') : '',
    stale === undefined ? '' : `file ${stale}`,
  ].filter((mark) => mark !== '')
  return marks.length > 0 ? ` ${page.paint('quiet', `(${marks.join('; ')})`)}` : ''
}
