// Records of this project that only the shared store has, back in the files: an acknowledged record is not lost with a work tree.
import {
  findProject,
  type ImportOptions,
  type ImportOutcome,
  importShared,
  type ProjectOptions,
  projectNames,
} from '../../native.js'
import { fieldsOf } from '../../shared/fields.js'
import { given } from '../../shared/given.js'
import { problem } from '../../shared/problem.js'
import { NOBODY, personIn, personOf } from '../person.js'
import { recordLine } from '../record.js'
import { readSettings, type StoreSettings, storePlace } from '../settings.js'
import type { ThoughtStore, Wanted } from '../store.js'
import { requireTrust } from '../trust.js'
import { withStore } from './search.js'

const PAGE = 500

export interface RestoreOptions extends ProjectOptions, Pick<ImportOptions, 'author' | 'session'> {
  dryRun?: boolean
  /** True for those of everybody; absent for one's own. */
  everybody?: boolean
}

export interface RestoreOutcome extends ImportOutcome {
  /** The store. */
  place: string
}

/** Imports the store's records of this project, with the rulings on them. Throws `StoreFailure` when the store does not answer. */
export async function restoreFromStore(restore: RestoreOptions): Promise<RestoreOutcome> {
  const { dryRun, everybody, author, session, ...options } = fieldsOf('options', restore)
  const projectDir = findProject(options)
  const settings = readSettings(projectDir)
  requireTrust(settings)
  const createdBy = everybody ? undefined : await ownNames(settings)
  const wanted: Wanted = { projects: projectNames({ projectDir }), limit: PAGE, ...given({ createdBy }) }
  const lines = await withStore({ ...settings, embedder: { kind: 'none' } }, (store) => linesOf(store, wanted))
  const outcome = importShared(lines.join('\n'), {
    projectDir,
    sourceProject: '*',
    ...given({ dryRun, author, session }),
  })
  return { ...outcome, place: storePlace(settings.target) }
}

/** As whom a person's captures are in a store of several people; nobody tells people apart in one's own. */
async function ownNames(settings: StoreSettings): Promise<string[] | undefined> {
  if (settings.target.backend !== 'postgres') return undefined
  const person = await personOf(settings.projectDir)
  // Without a name of its own, this machine delivered as nobody before it did as the user of the database.
  return person === '' ? [...NOBODY, await personIn(settings)] : [person]
}

async function linesOf(store: ThoughtStore, wanted: Wanted): Promise<string[]> {
  if (store.read === undefined) {
    throw problem(
      'UNSUPPORTED',
      `${store.place} does not keep records as they were`,
      'forge-memory find --shared shows them',
    )
  }
  const now = Date.now()
  const lines: string[] = []
  for (let after: string | undefined; ; ) {
    const page = await store.read({ ...wanted, ...given({ after }) })
    for (const { thought, rulings } of page) {
      if (thought.expiresAt !== undefined && Date.parse(thought.expiresAt) <= now) continue
      lines.push(recordLine(thought), ...rulings)
    }
    after = page.at(-1)?.place
    if (page.length < wanted.limit) return lines
  }
}
