import type { ProjectOptions } from '../../native.js'

/** What the main thread and the drawing thread share. */
export interface WaitingData {
  words: Int32Array<SharedArrayBuffer>
  delayMs: number
  descriptor: number
  /** The project whose work is shown. */
  project: ProjectOptions
}

/** The meaning of the shared words: set to stop; 1 while a line is drawn, or about to be. */
export const WORDS = { stop: 0, drawn: 1 } as const
