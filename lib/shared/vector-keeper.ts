// Computes the embeddings of new records in a long-lived process: in small batches on the thread pool with pauses, so
// that captures and answers do not wait for it.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { embedMemories, findProject, memoryDir, type ProjectOptions } from '../native.js'
import { messageOf } from './problem.js'

/** About a second of work on one thread. */
const PASSAGES_A_PASS = 16
const REST_MS = 500
/** The polling interval for new records. */
const LOOK_MS = 10_000
/** The delay of the first poll: loading the model would delay the first answers. */
const FIRST_LOOK_MS = 5000
const JOURNALS = ['memory-captures.jsonl', join('memory', 'project.jsonl')]

/** The state of the keeper. */
export interface VectorKeeperState {
  running: boolean
  /** The number of texts embedded so far. */
  made: number
  /** Why the last pass failed. */
  lastError?: string
}

export interface VectorKeeper {
  state(): VectorKeeperState
  /** Waits for the current pass. */
  close(): Promise<void>
}

/** Starts the keeper; it does nothing until the model is installed. One keeper per project is active at a time. */
export function keepEmbedded(options: ProjectOptions, firstLookMs = FIRST_LOOK_MS): VectorKeeper {
  const projectDir = findProject(options)
  let [made, isClosed] = [0, false]
  let lastError: string | undefined
  let done: string | undefined
  let pass: Promise<void> | undefined
  const look = async () => {
    const journals = stampOf(projectDir)
    if (journals === '' || journals === done) return LOOK_MS
    const { made: now, covered, total } = await embedMemories({ projectDir, limit: PASSAGES_A_PASS })
    made += now
    lastError = undefined
    if (covered >= total) done = journals
    return now > 0 && covered < total ? REST_MS : LOOK_MS
  }
  const run = () => {
    pass = look()
      .catch((error: unknown) => {
        lastError = messageOf(error)
        return LOOK_MS
      })
      .then((wait) => {
        if (!isClosed) plan(wait)
      })
  }
  let timer: NodeJS.Timeout
  const plan = (wait: number) => {
    timer = setTimeout(run, wait)
    timer.unref()
  }
  plan(firstLookMs)
  return {
    state: () => ({ running: !isClosed, made, ...(lastError === undefined ? {} : { lastError }) }),
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await pass
    },
  }
}

/** A fingerprint that changes with every record of the project; empty when there are none. */
function stampOf(projectDir: string): string {
  const folder = join(memoryDir({ projectDir }), '.forge')
  const stamps = JOURNALS.flatMap((name) => {
    const state = statSync(join(folder, name), { throwIfNoEntry: false })
    return state === undefined ? [] : [`${state.ino}:${state.size}:${state.mtimeMs}`]
  })
  return stamps.join(' ')
}
