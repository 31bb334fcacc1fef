import type { MessagePort } from 'node:worker_threads'
import type { ProjectOptions } from '../../native.js'
import type { Unit } from '../page/progress-line.js'

/** The data shared by the main thread and the drawing thread. */
export interface WaitingData {
  words: Int32Array<SharedArrayBuffer>
  delayMs: number
  descriptor: number
  /** The project whose progress is shown. */
  project: ProjectOptions
  /** The columns of the terminal, which this thread cannot ask for. */
  width: number
  verb: string
  unit: Unit
  /** Brings the progress that the main thread counts. */
  port?: MessagePort
}

/** The indexes of the shared words. `stop`: set to end the thread. `drawn`: 1 while a line is drawn or about to be. */
export const WORDS = { stop: 0, drawn: 1 } as const
