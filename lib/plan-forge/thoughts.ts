// Builders of the thoughts that record runs and watcher anomalies, ready for `captureMemory`.
import { basename } from 'node:path'
import { given } from '../shared/given.js'
import { countIn, type Fields, fieldsIn, listIn, textIn, wordIn } from './soft.js'

const ORCHESTRATOR = 'plan-forge-orchestrator'
/** A run is an anomaly when it costs more than this multiple of the average. */
const COST_FACTOR = 2
/** The watcher that follows a run while it goes on. */
const LIVE = 'forge_watch_live'

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

const costIn = ({ cost }: Fields) => countIn(fieldsIn(cost).total_cost_usd ?? fieldsIn(cost).totalCostUsd ?? cost)

/** Summarizes a run. */
export function buildRunSummaryThought(summary: object, projectName: string): ShapedThought {
  const run = fieldsIn(summary)
  const { passed, failed } = fieldsIn(run.results)
  const plan = planIn(run)
  const seconds = Math.round(countIn(run.totalDuration ?? run.durationMs) / 1000)
  const content = [
    `Plan ${plan}: ${textIn(run.status) ?? 'unknown'}`,
    `${countIn(passed)} passed, ${countIn(failed)} failed`,
    `${seconds} s`,
    ...(costIn(run) > 0 ? [`Cost $${costIn(run).toFixed(2)}`] : []),
    ...sweepOf(fieldsIn(run.sweep)),
    ...scoreOf(fieldsIn(run.analyze)),
    ...failuresOf(run),
  ]
  return thoughtOf(plan, content.join('. '), projectName)
}

function thoughtOf(plan: string, content: string, project: string): ShapedThought {
  return { content, project, source: `${ORCHESTRATOR}/${plan}`, created_by: ORCHESTRATOR }
}

function sweepOf({ ran, clean, markerCount }: Fields): string[] {
  if (ran === undefined && clean === undefined) return []
  return [clean === true ? 'Sweep clean' : `Sweep found ${countIn(markerCount)} markers`]
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

/** Describes a run that cost far more than the runs before it; null when it did not. */
export function buildCostAnomalyThought(
  summary: object,
  report: object | null | undefined,
  projectName: string,
): ShapedThought | null {
  const current = costIn(fieldsIn(summary))
  const { runs, total_cost_usd, totalCostUsd, average } = fieldsIn(report)
  const count = Array.isArray(runs) ? runs.length : countIn(runs)
  const mean = countIn(average) || countIn(total_cost_usd ?? totalCostUsd) / count
  if (count < 2 || !(mean > 0) || !(current > COST_FACTOR * mean)) return null
  const plan = planIn(fieldsIn(summary))
  const times = (current / mean).toFixed(1)
  const content = `Plan ${plan} cost $${current.toFixed(2)}, ${times} times the average of $${mean.toFixed(2)} over ${count} runs`
  return { ...thoughtOf(plan, content, projectName), type: 'insight' }
}

/** Converts a watcher anomaly to a thought: a lesson when its severity is informational, else a gotcha. */
export function shapeWatcherAnomalyThought(
  anomaly: object,
  meta: object = {},
  tool = 'forge_watch',
): { content: string; type: 'lesson' | 'gotcha'; source: string } {
  const { code, message, severity } = fieldsIn(anomaly)
  const { targetPath, runId, runState } = fieldsIn(meta)
  const word = (value: unknown) => wordIn(value) ?? 'unknown'
  const watcher = tool === LIVE ? 'Live watcher' : 'Watcher'
  const where = Object.entries(
    given({ targetPath: wordIn(targetPath), runId: wordIn(runId) ?? 'n/a', state: wordIn(runState) }),
  )
  const facts = [
    `${watcher} anomaly [${word(code)}]: ${wordIn(message) ?? ''}`,
    ...where.map(([name, value]) => `${name}=${value}`),
  ]
  return {
    content: facts.join('. '),
    type: severity === 'info' ? 'lesson' : 'gotcha',
    source: `${word(tool)}/${word(code)}`,
  }
}

/** Keeps the first of each anomaly, and drops those without a code. */
export function dedupeWatcherAnomalies<T>(list: T[]): T[] {
  const seen = new Set<string>()
  return listIn<T>(list).filter((anomaly) => {
    const { code, message } = fieldsIn(anomaly)
    const name = JSON.stringify([textIn(code), wordIn(message)])
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

/** Builds the telemetry record of a capture. */
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
    contentLen: countIn(contentLen ?? length),
    deduped: deduped === true,
  }
}
