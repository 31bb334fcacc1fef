// Compares what the clients of a soak acknowledged with what is in the database.
import { execute } from '../../__test__/support/postgres.mjs'

const SCHEMA = 'forge_memory'

/** Takes the lines of all writers, and returns what must be 0. */
export async function inspect(url, lines) {
  const idsOf = (kind) => lines.filter((line) => line.kind === kind).map(({ id }) => id)
  // An edit or a forgetting that was begun may have happened, when its process was killed before it said so.
  const changed = new Set(idsOf('changing'))
  const expected = idsOf('stored').filter((id) => !changed.has(id))
  const forgotten = idsOf('forgotten')
  const rows = await execute(url, `select id, content from ${SCHEMA}.thoughts where forgotten_at is null`)
  const there = new Set(rows.map(({ id }) => id))
  const twice = `select thought from ${SCHEMA}.audit where action in ('stored', 'edited') group by thought having count(*) > 1`
  const row = (what, count, note) => ({ what, count, note })
  return [
    row('acknowledged thoughts lost', expected.filter((id) => !there.has(id)).length, `${expected.length} expected`),
    row('texts doubled', rows.length - new Set(rows.map(({ content }) => content)).size, `${rows.length} in the store`),
    row('thoughts stored twice, by the audit', (await execute(url, twice)).length),
    row('forgotten thoughts there', forgotten.filter((id) => there.has(id)).length, `${forgotten.length} forgotten`),
    row('thoughts without a vector', await countWithoutVector(url)),
  ]
}

async function countWithoutVector(url) {
  const spaces = await execute(url, `select id from ${SCHEMA}.spaces`)
  if (spaces.length !== 1) throw new Error(`${spaces.length} models instead of one`)
  const [{ count }] = await execute(
    url,
    `select count(*)::int as count from ${SCHEMA}.thoughts t where t.forgotten_at is null
       and not exists (select 1 from ${SCHEMA}.thoughts s where s.supersedes = t.id and s.project = t.project)
       and not exists (select 1 from ${SCHEMA}.vectors_${spaces[0].id} v where v.id = t.id)`,
  )
  return count
}
