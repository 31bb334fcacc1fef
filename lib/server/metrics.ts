// Figures of a server in the text format of Prometheus (0.0.4). Nothing is asked of the shared store, so that a scrape is quick whatever
// state it is in.
import type { Hub } from '../hub/hub.js'
import { memoryStatus, queueStatus } from '../native.js'
import { searchFigures } from '../openbrain/client/search-metrics.js'
import type { DrainFigures } from './drain.js'

type Labels = Record<string, string>
type Sample = [labels: Labels, value: number]

interface Metric {
  name: string
  type: 'gauge' | 'counter'
  help: string
  samples: Sample[]
}

export interface MetricsSource {
  hub: Hub
  version: string
  startedMs: number
  /** Absent when the server does not drain. */
  drain: DrainFigures | undefined
}

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

const one = (value: number): Sample[] => [[{}, value]]
const by = (label: string, counts: Record<string, number>): Sample[] =>
  Object.entries(counts).map(([name, value]) => [{ [label]: name }, value])

/** Writes all figures. */
export function metricsText(source: MetricsSource): string {
  return `${[...metricsOf(source).map(metricText), searchText()].join('\n')}\n`
}

function metricsOf({ hub, version, startedMs, drain }: MetricsSource): Metric[] {
  const { projectDir } = hub
  const status = memoryStatus({ projectDir })
  const { memories, global, ...apart } = status.counts
  const queue = queueStatus({ projectDir })
  const cpu = process.cpuUsage()
  const gauge = (name: string, help: string, samples: Sample[]): Metric => ({ name, type: 'gauge', help, samples })
  const counter = (name: string, help: string, samples: Sample[]): Metric => ({ name, type: 'counter', help, samples })
  return [
    gauge('forge_memory_info', 'The version of the server.', [[{ version }, 1]]),
    gauge('forge_memory_start_time_seconds', 'When the server started.', one(startedMs / 1000)),
    gauge(
      'forge_memory_records',
      'Records that can be recalled, of the project and for all projects, and the others by what became of them.',
      by('state', { project: memories - global, global, ...apart }),
    ),
    gauge('forge_memory_journal_bytes', 'The size of the journals.', one(status.journalBytes)),
    gauge(
      'forge_memory_vectors',
      'Texts of the project with a vector, and all.',
      vectors(status.vectors?.covered, status.vectors?.total),
    ),
    gauge(
      'forge_memory_queue_records',
      'Records that wait for the shared store.',
      by('state', { due: queue.due, deferred: queue.queued - queue.due, foreign: queue.foreign }),
    ),
    gauge('forge_memory_dead_letters', 'Records that could not be delivered.', one(queue.deadLetters)),
    ...(drain === undefined ? [] : drained(drain, gauge, counter)),
    gauge('forge_memory_hub_clients', 'Subscribers of the live events.', one(hub.clients.size)),
    counter('forge_memory_hub_events_total', 'The number of the last event.', one(hub.seq)),
    counter('forge_memory_hub_unsaved_total', 'Events that could not be stored.', one(hub.unsaved)),
    gauge('process_resident_memory_bytes', 'Resident memory.', one(process.memoryUsage.rss())),
    counter('process_cpu_seconds_total', 'Processor time.', one((cpu.user + cpu.system) / 1e6)),
  ]
}

type Make = (name: string, help: string, samples: Sample[]) => Metric

function drained({ state, passes, outcomes, shared }: DrainFigures, gauge: Make, counter: Make): Metric[] {
  return [
    gauge('forge_memory_drain_state', 'The state of the drain worker.', [[{ state }, 1]]),
    counter('forge_memory_drain_passes_total', 'Passes since the server started.', one(passes)),
    counter('forge_memory_deliveries_total', 'Records of these passes.', by('outcome', { ...outcomes })),
    gauge(
      'forge_memory_shared_vectors',
      'Thoughts of the shared store with a vector, and all, when last counted.',
      vectors(shared?.done, shared?.total),
    ),
  ]
}

function vectors(covered: number | undefined, total: number | undefined): Sample[] {
  return covered === undefined || total === undefined ? [] : by('of', { covered, total })
}

/** The times of searches in the shared store, as a histogram. */
function searchText(): string {
  const { buckets, count, seconds, answers } = searchFigures()
  const name = 'forge_memory_search_seconds'
  return [
    `# HELP ${name} Searches of the shared memory by this server.`,
    `# TYPE ${name} histogram`,
    ...buckets.map(({ atMost, count: within }) => `${name}_bucket{le="${atMost}"} ${within}`),
    `${name}_bucket{le="+Inf"} ${count}`,
    `${name}_sum ${seconds}`,
    `${name}_count ${count}`,
    metricText({
      name: 'forge_memory_searches_total',
      type: 'counter',
      help: 'The same by the store that answered.',
      samples: by('backend', answers),
    }),
  ].join('\n')
}

function metricText({ name, type, help, samples }: Metric): string {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map((sample) => sampleText(name, sample)),
  ].join('\n')
}

function sampleText(name: string, [labels, value]: Sample): string {
  const list = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${name}${list.length === 0 ? '' : `{${list.join(',')}}`} ${value}`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
