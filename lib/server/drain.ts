import type { Hub } from '../hub/hub.js'
import * as library from '../index.js'
import type { Part } from './serve.js'

/** What the drain worker of the library looks like from here. */
interface Worker {
  start?(): void
  stop?(): void | Promise<void>
  close?(): void | Promise<void>
}

/** Delivers the queue to the shared store, where the library has one. Of several servers one does it at a time. */
export async function startDrain(projectDir: string, hub: Hub): Promise<Part> {
  const create = (library as Record<string, unknown>).createDrainWorker
  let lastError: string | undefined
  let worker: Worker | undefined
  if (typeof create === 'function') {
    try {
      worker = (await create({ projectDir, hub })) as Worker
      worker.start?.()
    } catch (error) {
      lastError = error instanceof Error ? error.message : String(error)
    }
  }
  return {
    name: 'drain',
    state: () => ({ running: worker !== undefined, ...(lastError === undefined ? {} : { lastError }) }),
    close: async () => {
      await (worker?.close?.() ?? worker?.stop?.())
    },
  }
}
