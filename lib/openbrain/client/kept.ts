// Records that only the shared store has, by their ids: the record of a colleague is shown, rated, corrected and forgotten like one of the own
// files. The engine knows it during such an action, and no file has it.
import {
  findProject,
  holdRecords,
  listConflicts,
  type MemoryConflict,
  type ProjectOptions,
  projectNames,
  receiveDecisions,
} from '../../native.js'
import { hasCode, problem } from '../../shared/problem.js'
import { StoreFailure } from '../failure.js'
import { recordLine } from '../record.js'
import { readSettings, validSettings } from '../settings.js'
import type { Capabilities, KeptThought, ThoughtStore } from '../store.js'
import { requireTrust } from '../trust.js'
import { withStore } from './search.js'

/** The action on them: nobody changes a record of another project, and users who may only read forget nothing. */
export type Purpose = 'show' | 'change' | 'keep' | 'forget'

/** Ids, or pieces of them, and those among them that no own file has. */
interface Asked {
  ids: string[]
  away: string[]
}

/** Records of the shared store that the engine knows while something is done. */
export interface SharedRecords {
  kept: KeptThought[]
  /** Does something, at once, with records that are named by their ids. */
  during<T>(act: () => T): T
}

const FOUND_MAX = 100
/** The length of an id as it is shown, by which a record of another project is found. */
const PIECE_MIN = 8

/** Fetches the records with these ids, or pieces of them. A store that does not answer has none, and the error about an unknown id says why. */
export async function fetchRecords(asked: Asked, options: ProjectOptions, purpose: Purpose): Promise<SharedRecords> {
  const projectDir = findProject(options)
  const names = projectNames({ projectDir })
  let kept: KeptThought[] = []
  let why: string | undefined
  try {
    const settings = readSettings(projectDir)
    requireTrust(settings)
    kept = await withStore({ ...settings, embedder: { kind: 'none' } }, async (store) => {
      const found = await readAmong(store, asked, names)
      if (found.length > 0 && purpose === 'forget') refuseReaders(await store.handshake(), store)
      return found
    })
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error
    why = error.message
  }
  const others = kept.find(({ thought }) => !names.includes(thought.project))
  if (others !== undefined && purpose !== 'show') {
    const { id, project } = others.thought
    throw problem(
      'INVALID_INPUT',
      `${id} belongs to the project ${project}`,
      'change it there: --project names a folder',
    )
  }
  // A revision that is here comes back as a newer one.
  const replaced = asked.away.length > 0 ? kept.find(({ state }) => state === 'superseded') : undefined
  if (replaced !== undefined && purpose === 'keep') {
    const what = `${replaced.thought.id} has a newer revision in the shared store, which searches return`
    throw problem(
      'UNSUPPORTED',
      what,
      'forge-memory find --shared has it, and forge-memory edit gives it the text of this one',
    )
  }
  const lines = kept.map(({ thought }) => recordLine(thought))
  const rulings = purpose === 'show' ? [] : kept.flatMap((one) => one.rulings)
  return {
    kept,
    during<T>(act: () => T): T {
      holdRecords(lines, { projectDir })
      try {
        // What was decided about them so far: a decision of now is made of all of it.
        if (rulings.length > 0) receiveDecisions(rulings, { projectDir })
        return act()
      } catch (error) {
        if (why === undefined || !hasCode(error, 'NOT_FOUND')) throw error
        throw problem('NOT_FOUND', (error as Error).message, `the shared store was not asked: ${why}`)
      } finally {
        holdRecords([], { projectDir })
      }
    },
  }
}

/** Reads records by their ids; by pieces of them those of this project, and of the others where neither it nor a file of it has any. */
async function readAmong(store: ThoughtStore, { ids, away }: Asked, own: string[]): Promise<KeptThought[]> {
  const found = (await store.read?.({ ids, projects: own, limit: FOUND_MAX })) ?? []
  const isOwn = found.length > 0 || away.length === 0
  if (isOwn || store.read === undefined || away.some((id) => id.length < PIECE_MIN)) return found
  return store.read({ ids: away, projects: (await store.projects?.()) ?? own, limit: FOUND_MAX })
}

/**
 * The contradictions of a project: those of its own records, and those of which only the store of a team has one of both, or both. Without an answer
 * of the store, the former.
 */
export async function listAllConflicts(options: ProjectOptions): Promise<MemoryConflict[]> {
  const projectDir = findProject(options)
  const settings = validSettings(projectDir)
  if (settings?.target.backend !== 'postgres') return listConflicts({ projectDir })
  let lines: string[] = []
  try {
    requireTrust(settings)
    const ask = { ...settings, embedder: { kind: 'none' as const } }
    lines = await withStore(ask, async (store) => (await store.contradictions?.(projectNames({ projectDir }))) ?? [])
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error
  }
  holdRecords(lines, { projectDir })
  try {
    return listConflicts({ projectDir })
  } finally {
    holdRecords([], { projectDir })
  }
}

/** Deliveries that the store does not take would wait here, while the record is gone from the answers of this machine only. */
function refuseReaders({ negotiatedAway, isWaiting }: Capabilities, { place }: ThoughtStore): void {
  const refusal = negotiatedAway.find((reason) => reason.startsWith('deliveries: '))
  if (refusal === undefined || isWaiting) return
  throw problem(
    'UNSUPPORTED',
    `${place}: ${refusal.slice('deliveries: '.length)}`,
    'forge-memory store check says more',
  )
}
