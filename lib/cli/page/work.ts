import type { Unit } from './progress-line.js'

/** Long work of a command, as it is declared. */
export interface Work {
  /** The work, as `importing`. */
  verb: string
  unit: Unit
  /** The part that is kept when the user interrupts it; the sentence continues "interrupted: ". */
  kept: string
}

/** The progress of work that the main thread counts. */
export interface Progress {
  done: number
  total: number
  verb?: string
  unit?: Unit
}

/** A display of progress on the terminal. */
export interface Display {
  show(progress: Progress | undefined): void
  /** Ends it; its line is erased when this returns. */
  stop(): void
}

let open: (() => Display) | undefined
let display: Display | undefined

/** Begins the display of a command's work. */
export function beginWork(opens: () => Display): void {
  open = opens
  display = opens()
}

/** Reports progress that the engine does not count by itself; without any, the engine's is shown. */
export function reportWork(progress: Progress | undefined): void {
  display?.show(progress)
}

export function endWork(): void {
  display?.stop()
  open = undefined
  display = undefined
}

/** Runs something that needs the terminal for itself: a question, an editor. The display begins anew afterwards. */
export async function withTerminal<T>(act: () => T | Promise<T>): Promise<T> {
  display?.stop()
  try {
    return await act()
  } finally {
    display = open?.()
  }
}
