import type { DrainOptions } from './drain.js'
import type { PassReport } from './pass.js'

/** A worker of this process that drains a project: it has the drain, so others of the process must ask it. */
export interface RunningDrain {
  /** Makes a pass at once; undefined when it has lost the drain meanwhile. */
  passNow(options: DrainOptions): Promise<PassReport | undefined>
}

const running = new Map<string, RunningDrain>()

export function announce(projectDir: string, drain: RunningDrain): void {
  running.set(projectDir, drain)
}

export function retract(projectDir: string, drain: RunningDrain): void {
  if (running.get(projectDir) === drain) running.delete(projectDir)
}

/** Returns the worker of this process that drains a project. */
export function runningDrain(projectDir: string): RunningDrain | undefined {
  return running.get(projectDir)
}
