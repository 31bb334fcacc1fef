// What others stored about a project, for hooks: a replica in the user's own folder, because a hook asks no database.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  findProject,
  keepReplica,
  type ProjectOptions,
  projectNames,
  type ReplicaNews,
  replicaState,
} from '../../native.js'
import { given } from '../../shared/given.js'
import { StoreFailure } from '../failure.js'
import { recordLine } from '../record.js'
import { type StoreSettings, validSettings } from '../settings.js'
import type { NewestThoughts, ThoughtStore } from '../store.js'
import { requireTrust, untrusted } from '../trust.js'
import { receiveFrom } from './receive.js'
import { replicaFolder } from './replica-folder.js'

/** How many are read. The replica has half as many, and none that the own files have. */
const READ_MAX = 4000
/** After this, all are read again: of those that only their number left out, some may have a place by now. */
const AGAIN_MS = 24 * 3600_000

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
  // Nobody waits for it: on a busy machine it may take its time.
  const { timeoutMs } = settings
  const patient = { ...settings, reachTimeoutMs: timeoutMs, searchTimeoutMs: timeoutMs }
  await takeFrom(settings, (ask) => withStore({ ...patient, embedder: { kind: 'none' } }, ask))
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

const placeIn = (settings: StoreSettings | undefined) =>
  settings !== undefined && 'url' in settings.target ? settings.target.url.href : undefined

type Ask = (store: ThoughtStore) => Promise<ReplicaNews | undefined>

async function takeFrom(settings: StoreSettings, through: (ask: Ask) => Promise<ReplicaNews | undefined>) {
  const { projectDir } = settings
  const names = projectNames({ projectDir })
  const known = stateIn(replicaState({ projectDir }), names)
  try {
    const news = await through(async (store) => {
      let newest = await store.newest?.(names, READ_MAX, known?.state)
      const kept = newest?.among && keptLines(newest.among, projectDir)
      const isPart = kept !== undefined
      if (newest?.among !== undefined && !isPart) newest = await store.newest?.(names, READ_MAX)
      if (newest?.state === undefined) return undefined
      const { state, thoughts } = newest
      // What was decided since is received first: the own records that it retires are not told beside those of colleagues.
      if (thoughts !== undefined) await receiveFrom(store, settings)
      const at = known !== undefined && (isPart || thoughts === undefined) ? known.at : Date.now()
      const records = thoughts && newestFirst([...thoughts.flatMap(linesOf), ...(kept ?? [])])
      return { state: JSON.stringify([names, state, at] satisfies ReplicaState), ...given({ records }) }
    })
    // Meanwhile, the settings may name another store, whose replica it would be taken for.
    const isStill = placeIn(settingsOf(projectDir)) === placeIn(settings)
    if (news !== undefined && isStill) keepReplica(news, { projectDir })
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error
    if (error.kind === 'misconfigured') keepReplica({ problem: 'refused' }, { projectDir })
  }
}

/** The names of the project, the state of the store, and when the whole was read. */
type ReplicaState = [names: string[], state: string, at: number]

/** The state of the store of which there is a replica, unless the project had other names then, or all is to be read again. */
function stateIn(kept: string | null, names: string[]): { state: string; at: number } | undefined {
  if (kept === null) return undefined
  const [of, state, at] = JSON.parse(kept) as ReplicaState
  const isSame = JSON.stringify(of) === JSON.stringify(names) && Date.now() - at < AGAIN_MS
  return isSame ? { state, at } : undefined
}

/** The lines that the replica has of other records than those that were looked at; undefined when it cannot be read. */
function keptLines(lookedAt: string[], projectDir: string): string[] | undefined {
  const path = join(replicaFolder(projectDir), '.forge', 'memory-captures.jsonl')
  const among = new Set(lookedAt)
  try {
    const lines = readFileSync(path, 'utf8').split('\n')
    const kept = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as { id: string; source?: string })
    // A replica has who captured a record as its source.
    const given = kept
      .filter(({ id }) => !among.has(id))
      .map(({ source, ...fields }) => ({ ...fields, created_by: source }))
    return given.map((fields) => JSON.stringify(fields))
  } catch {
    return undefined
  }
}

function newestFirst(lines: string[]): string[] {
  const dated = lines.map((line) => {
    const { captured_at: made, at } = JSON.parse(line) as { captured_at?: string; at?: string }
    return { line, at: Date.parse(made ?? at ?? '') || 0 }
  })
  return dated.sort((a, b) => b.at - a.at).map(({ line }) => line)
}

function linesOf({ thought, contradictedBy }: NonNullable<NewestThoughts['thoughts']>[number]): string[] {
  const { id, capturedAt: at } = thought
  const conflicts = contradictedBy.map((other) => JSON.stringify({ _v: 1, _action: 'conflict', id, with: other, at }))
  return [recordLine(thought), ...conflicts]
}
