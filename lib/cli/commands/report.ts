import type { Command } from 'commander'
import { buildMemoryReport, type MemoryReport } from '../../native.js'
import { bytes, counted, oneLine } from '../../text/printable.js'
import { countsText } from '../../text/record-counts.js'
import type { Answer, CommandEntry, Respond } from '../command.js'
import { bar } from '../page/bar.js'
import type { Page } from '../page/page.js'
import { flexible, pairs, right, table } from '../page/table.js'

export const entry: CommandEntry = {
  group: 'admin',
  summary: 'count files, captures, queue and cache',
  examples: ['forge-memory admin report', 'forge-memory admin report -j'],
}

export function configure(command: Command, respond: Respond): void {
  command.action(
    respond((project): Answer => {
      const report = buildMemoryReport(project)
      return { document: report, text: (page) => text(report, page) }
    }),
  )
}

function text(report: MemoryReport, page: Page): string {
  const title = `${page.paint('strong', 'Memory report')}  ${page.paint('quiet', oneLine(report.projectDir))}`
  if (!report.forgeDirExists) return `${title}\n\nnothing is stored yet: there is no .forge folder`
  const { telemetry } = report
  return [
    page.wrap(title, page.width),
    files(report, page),
    page.wrap(countsText(report.counts), page.width),
    histogram(page, 'TOOL', telemetry.byTool),
    histogram(page, 'TYPE', telemetry.byType),
    pairs(page, totals(report)),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function files(report: MemoryReport, page: Page): string {
  const present = report.files.filter((file) => file.exists)
  const largest = Math.max(0, ...present.map((file) => file.size))
  const rows = present.map((file) => [
    oneLine(file.name),
    String(file.records),
    file.unparsable > 0 ? page.paint('bad', String(file.unparsable)) : '0',
    bytes(file.size),
    versions(file.versions),
    page.paint('accent', bar(page, file.size, largest, 16)),
  ])
  const columns = [flexible('FILE'), right('LINES'), right('UNREADABLE'), right('SIZE'), flexible('VERSIONS'), '']
  return table(page, columns, rows)
}

function versions(counts: Record<string, number>): string {
  const found = Object.entries(counts).map(([version, count]) => [versionName(version), count] as const)
  if (found.length === 1) return found[0]?.[0] ?? ''
  return found.map(([version, count]) => `${version}: ${count}`).join(', ')
}

function versionName(version: string): string {
  return /^\d/.test(version) ? `v${oneLine(version)}` : oneLine(version)
}

function histogram(page: Page, title: string, counts: Record<string, number>): string {
  const found = Object.entries(counts).sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
  if (found.length === 0) return ''
  const largest = found[0]?.[1] ?? 0
  const rows = found.map(([name, count]) => [
    oneLine(name),
    String(count),
    page.paint('accent', bar(page, count, largest)),
  ])
  return table(page, [flexible(title), right('CAPTURES'), ''], rows)
}

/** The share of memory records that have a hallmark. */
function stamped({ files }: MemoryReport): string {
  const own = files.filter(({ name }) => name === 'memory-captures.jsonl' || name.startsWith('memory/'))
  const sum = (key: 'records' | 'stamped') => own.reduce((total, file) => total + file[key], 0)
  return `${sum('stamped')} of ${sum('records')} lines carry a hallmark`
}

function totals(report: MemoryReport): [string, string][] {
  const { telemetry, queue, drainTrend, cache, orphans } = report
  const waiting = `${queue.pending} waiting, ${queue.deferred} deferred, ${queue.failed} failed`
  const found: [string, string][] = [
    ['captures', `${telemetry.total}, of which ${telemetry.deduped} were already known`],
    ['provenance', stamped(report)],
    ['queue', `${waiting}, ${queue.delivered} delivered, ${queue.dlq} dead letters`],
    [
      'drains',
      `${counted(drainTrend.passes, 'pass', 'passes')}: ${drainTrend.totalDelivered} passed, ${drainTrend.totalDead} failed, ${drainTrend.totalDeferred} deferred`,
    ],
    ['search cache', `${cache.totalEntries} entries, ${cache.freshEntries} fresh`],
  ]
  if (orphans.length > 0) found.push(['unknown files', orphans.map(oneLine).join(', ')])
  return found
}
