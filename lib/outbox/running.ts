import type { ProjectOptions } from '../native.js'
import type { PassReport } from './pass.js'

export interface DrainOptions extends ProjectOptions {
  /** How many records are delivered at once; as many as the store takes when absent. */
  maxBatch?: number
  /** Who drains, as the statistics name it. */
  source?: string
  signal?: AbortSignal
  onProgress?: (report: PassReport & { waiting: number }) => void
}

/** A worker of this process that drains a project: it has the drain, so others of the process must ask it. */
export interface RunningDrain {
  /** Makes a pass at once; undefined when it has lost the drain meanwhile. */
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
