import type { ProjectOptions } from '../native.js'
import type { PassReport } from './pass.js'

export interface DrainOptions extends ProjectOptions {
  /** The maximum number of records delivered at once; the limit of the store when absent. */
  maxBatch?: number
  /** The name of the caller in the statistics. */
  source?: string
  signal?: AbortSignal
  onProgress?: (report: PassReport & { waiting: number }) => void
}

/** The worker of this process that holds the drain lock of a project; other callers in the process have to use it. */
export interface RunningDrain {
  /** Makes a pass at once; undefined when the worker has lost the drain lock. */
  passNow(options: DrainOptions): Promise<PassReport | undefined>
}

const running = new Map<string, RunningDrain>()

export function register(projectDir: string, drain: RunningDrain): void {
  running.set(projectDir, drain)
}

export function unregister(projectDir: string, drain: RunningDrain): void {
  if (running.get(projectDir) === drain) running.delete(projectDir)
}

/** Returns the worker of this process that drains a project. */
export function runningDrain(projectDir: string): RunningDrain | undefined {
  return running.get(projectDir)
}
