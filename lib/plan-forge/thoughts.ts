// What runs and watchers are remembered as: shapes of thoughts, ready for `captureMemory`.
import { basename } from 'node:path'
import { type Fields, fieldsIn, listIn, textIn } from './soft.js'

const ORCHESTRATOR = 'plan-forge-orchestrator'
/** A run that costs more than so many times the average is worth a thought. */
const COST_FACTOR = 2

export interface ShapedThought {
  content: string
  project: string
  source: string
  created_by: string
  type?: string
}

function planIn(summary: Fields): string {
  return basename(textIn(summary.plan) ?? textIn(summary.planName) ?? 'plan').replace(/\.md$/, '')
}

const costIn = ({ cost }: Fields) => Number(fieldsIn(cost).total_cost_usd ?? fieldsIn(cost).totalCostUsd ?? cost) || 0

/** Tells how a run went. */
export function buildRunSummaryThought(summary: object, projectName: string): ShapedThought {
  const run = fieldsIn(summary)
  const { passed, failed } = fieldsIn(run.results)
  const plan = planIn(run)
  const seconds = Math.round((Number(run.totalDuration ?? run.durationMs) || 0) / 1000)
  const content = [
    `Plan ${plan}: ${textIn(run.status) ?? 'unknown'}`,
    `${Number(passed) || 0} passed, ${Number(failed) || 0} failed`,
    `${seconds} s`,
    ...(costIn(run) > 0 ? [`Cost $${costIn(run).toFixed(2)}`] : []),
    ...sweepOf(fieldsIn(run.sweep)),
    ...scoreOf(fieldsIn(run.analyze)),
    ...failuresOf(run),
  ]
  return {
    content: content.join('. '),
    project: projectName,
    source: `${ORCHESTRATOR}/${plan}`,
    created_by: ORCHESTRATOR,
  }
}

function sweepOf({ ran, clean, markerCount }: Fields): string[] {
  if (ran === undefined && clean === undefined) return []
  return [clean === true ? 'Sweep clean' : `Sweep found ${Number(markerCount) || 0} markers`]
}

function scoreOf({ score }: Fields): string[] {
  return typeof score === 'number' ? [`Score ${score}/100`] : []
}

function failuresOf({ sliceResults, slices }: Fields): string[] {
  const all = listIn<Fields>(sliceResults ?? slices).map(fieldsIn)
  const failed = all.filter(({ status }) => status === 'failed')
  const named = failed.map(({ number, sliceId, title }) => textIn(title) ?? `slice ${number ?? sliceId ?? '?'}`)
  return named.length === 0 ? [] : [`Failed slices: ${named.join(', ')}`]
}

/** Tells of a run that cost far more than those before; nothing when there is no such thing to tell. */
export function buildCostAnomalyThought(
  summary: object,
  report: object | null | undefined,
  projectName: string,
): ShapedThought | null {
  const current = costIn(fieldsIn(summary))
  const { runs, total_cost_usd, totalCostUsd, average } = fieldsIn(report)
  const count = Array.isArray(runs) ? runs.length : Number(runs) || 0
  const mean = Number(average) || (Number(total_cost_usd ?? totalCostUsd) || 0) / count
  if (count < 2 || !(mean > 0) || !(current > COST_FACTOR * mean)) return null
  const plan = planIn(fieldsIn(summary))
  const times = (current / mean).toFixed(1)
  const content = `Plan ${plan} cost $${current.toFixed(2)}, ${times} times the average of $${mean.toFixed(2)} over ${count} runs`
  return {
    content,
    project: projectName,
    source: `${ORCHESTRATOR}/${plan}`,
    created_by: ORCHESTRATOR,
    type: 'insight',
  }
}

/** Makes an anomaly of a watcher a thought: what is only information is a lesson, everything else a gotcha. */
export function shapeWatcherAnomalyThought(
  anomaly: object,
  meta: object = {},
  tool = 'forge_watch',
): { content: string; type: 'lesson' | 'gotcha'; source: string } {
  const { code, message, severity } = fieldsIn(anomaly)
  const { targetPath, runId, runState } = fieldsIn(meta)
  const told = `Watcher anomaly [${code ?? 'unknown'}]: ${message ?? ''}.`
  const where = `targetPath=${targetPath ?? 'unknown'}. runId=${runId ?? 'unknown'}. state=${runState ?? 'unknown'}`
  return {
    content: `${told} ${where}`,
    type: severity === 'info' ? 'lesson' : 'gotcha',
    source: `${tool}/${code ?? 'unknown'}`,
  }
}

/** Keeps the first of each anomaly; those without a code are dropped. */
export function dedupeWatcherAnomalies<T>(list: T[]): T[] {
  const seen = new Set<string>()
  return listIn<T>(list).filter((anomaly) => {
    const { code, message } = fieldsIn(anomaly)
    const name = JSON.stringify([code, message])
    if (textIn(code) === undefined || seen.has(name)) return false
    seen.add(name)
    return true
  })
}

export interface CaptureTelemetryRecord {
  _v: 1
  timestamp: string
  tool: string
  type: string
  source: string | null
  project: string | null
  contentLen: number
  deduped: boolean
}

/** Makes the record of a capture. */
export function buildCaptureTelemetry(context?: object): CaptureTelemetryRecord {
  const { timestamp, tool, type, source, project, contentLen, content, deduped } = fieldsIn(context)
  const length = typeof content === 'string' ? content.length : 0
  return {
    _v: 1,
    timestamp: textIn(timestamp) ?? new Date().toISOString(),
    tool: textIn(tool) ?? 'unknown',
    type: textIn(type) ?? 'unknown',
    source: textIn(source) ?? null,
    project: textIn(project) ?? null,
    contentLen: Number(contentLen ?? length) || 0,
    deduped: deduped === true,
  }
}
