// From one embedding model to the next: the vectors of the old one answer until the new one has a vector for every thought, and are
// removed after that, when no client uses them any more.

import type { Database } from './database.js'
import { SCHEMA, type Space, type SpaceRow } from './schema.js'

/** How long a client that was not seen counts as a user of its model. */
const UNSEEN_DAYS = 30
/** How long a removal waits for searches that are under way; it is tried again at the next opportunity. */
const LOCK_TIMEOUT = '2s'

/** Notes which model a client uses now. */
export async function recordUse(database: Database, client: string, space: Space): Promise<void> {
  await database.query(`select ${SCHEMA}.use_space($1, $2)`, [client, space.id])
}

/** Notes that a model is complete, and removes the vectors of models that nobody uses. Returns the removed models. */
export async function complete(database: Database, space: Space): Promise<string[]> {
  await database.query(`select ${SCHEMA}.fill_space($1)`, [space.id])
  const { rows } = await database.query(
    `select s.id, s.model from ${SCHEMA}.spaces s where s.id <> $1 and not exists (
       select 1 from ${SCHEMA}.embedders e where e.space = s.id and e.seen_at > now() - interval '${UNSEEN_DAYS} days')`,
    [space.id],
  )
  const removed: string[] = []
  for (const { id, model } of rows as { id: number; model: string }[]) {
    // Another client may have removed it, or searches with it for longer than the removal waits.
    if (await remove(database, Number(id)).catch(() => false)) removed.push(model)
  }
  return removed
}

function remove(database: Database, id: number): Promise<boolean> {
  return database.withSession(async (session) => {
    await session.query('begin')
    try {
      await session.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`)
      const { rows } = await session.query(`select ${SCHEMA}.drop_space($1, $2) as is_removed`, [id, UNSEEN_DAYS])
      await session.query('commit')
      return rows[0]?.is_removed === true
    } catch (error) {
      await session.query('rollback').catch(() => undefined)
      throw error
    }
  })
}

/** The tables that may answer a search: that of the model when it is complete, else complete ones of other models, the newest first. */
export function searchableSpaces(spaces: SpaceRow[], model: string): SpaceRow[] {
  const own = spaces.find((space) => space.model === model)
  if (own?.filled_at) return [own]
  const others = spaces.filter((space) => space.model !== model && space.filled_at)
  others.sort((a, b) => b.id - a.id)
  return [...others, ...(own === undefined ? [] : [own])]
}
