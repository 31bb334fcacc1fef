// What others stored about a project, for hooks: a replica in the user's own folder, because a hook asks no database.
import { findProject, keepReplica, type ProjectOptions, projectNames, replicaState } from '../../native.js'
import { given } from '../../shared/given.js'
import { StoreFailure } from '../failure.js'
import { recordLine } from '../record.js'
import { type StoreSettings, validSettings } from '../settings.js'
import type { NewestThoughts, ThoughtStore } from '../store.js'
import { requireTrust, untrusted } from '../trust.js'
import { receiveFrom } from './receive.js'

/** How many are read. The replica has half as many, and none that the own files have. */
const READ_MAX = 4000

/**
 * Has the store of a team say whether the replica of a project is still as it is there, and makes it so: when the store refuses this user, it is
 * removed. Nothing happens without such a store, and while it does not answer.
 */
export async function refreshReplica(options: ProjectOptions = {}): Promise<void> {
  const projectDir = findProject(options)
  const settings = settingsOf(projectDir)
  if (settings === undefined) return
  if (untrusted(settings).length > 0) return keepReplica({ problem: 'unapproved' }, { projectDir })
  // Only who has a team's store pays for loading what asks it.
  const { withStore } = await import('./search.js')
  await takeFrom(settings, (ask) => withStore({ ...settings, embedder: { kind: 'none' } }, ask))
}

/** The same from a store that is open. */
export async function refreshReplicaFrom(store: ThoughtStore, settings: StoreSettings): Promise<void> {
  if (settingsOf(settings.projectDir) === undefined) return
  requireTrust(settings)
  await takeFrom(settings, (ask) => ask(store))
}

/** The settings of a store of several people that recalls may ask. */
function settingsOf(projectDir: string): StoreSettings | undefined {
  const settings = validSettings(projectDir)
  return settings?.target.backend === 'postgres' && settings.isAskedByRecall ? settings : undefined
}

type Ask = (store: ThoughtStore) => Promise<NewestThoughts | undefined>

async function takeFrom(settings: StoreSettings, through: (ask: Ask) => Promise<NewestThoughts | undefined>) {
  const { projectDir } = settings
  const names = projectNames({ projectDir })
  const known = replicaState({ projectDir }) ?? undefined
  try {
    const told = await through(async (store) => {
      const newest = await store.newest?.(names, READ_MAX, stateIn(known, names))
      // What was decided since is received first: the own records that it retires are not told beside those of colleagues.
      if (newest?.thoughts !== undefined) await receiveFrom(store, settings)
      return newest
    })
    if (told?.state === undefined) return
    const state = JSON.stringify([names, told.state])
    keepReplica({ state, ...given({ records: told.thoughts?.flatMap(linesOf) }) }, { projectDir })
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error
    if (error.kind === 'misconfigured') keepReplica({ problem: 'refused' }, { projectDir })
  }
}

/** The state of the store of which there is a replica, unless the project had other names then. */
function stateIn(known: string | undefined, names: string[]): string | undefined {
  const [of, state] = known === undefined ? [] : (JSON.parse(known) as [string[], string])
  return JSON.stringify(of) === JSON.stringify(names) ? state : undefined
}

function linesOf({ thought, contradictedBy }: NonNullable<NewestThoughts['thoughts']>[number]): string[] {
  const { id, capturedAt: at } = thought
  const conflicts = contradictedBy.map((other) => JSON.stringify({ _v: 1, _action: 'conflict', id, with: other, at }))
  return [recordLine(thought), ...conflicts]
}
