// Searches by words in PostgreSQL against the exact answer, which ranks every match: with words that no thought has, with frequent ones, and
// in small projects.
import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { execute, startPostgres } from './support/postgres.mjs'
import { opened } from './support/postgres-store.mjs'
import { asking, storing, thought } from './support/thoughts.mjs'

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

const TOP = 10
const CAUSES = ['the disk was full', 'a certificate had expired', 'the queue was stuck', 'a migration held its lock']

/** Every match ranked by the same score. */
const EXACT = `with words as (select ('''' || lexeme || '''')::tsquery as query, ln(1 + 1 / greatest(coalesce(f.share, 0), 1 / total)) as weight
    from unnest(to_tsvector('english', $1)) l left join (select unnest(most_common_elems::text::text[]) as word,
      unnest(most_common_elem_freqs) as share from pg_stats where schemaname = 'forge_memory' and tablename = 'thoughts' and attname = 'words') f
      on f.word = l.lexeme, (select greatest(reltuples, 1) as total from pg_class where oid = 'forge_memory.thoughts'::regclass) size)
  select (select sum(w.weight * ts_rank(t.words, w.query, 1)) from words w) as score from forge_memory.thoughts t
  where t.words @@ (select string_agg(query::text, '|')::tsquery from words) and ($2::text is null or project = $2)
  order by score desc limit ${TOP}`

test('a word that no thought has is no condition, and what is found is what ranking every match would find', async (t) => {
  const url = await server.database()
  const store = opened(t, url)
  const many = Array.from({ length: 4000 }, (_, at) => {
    const more = at % 3 === 0 ? ' and the team was told' : at % 7 === 0 ? ' on a friday' : ''
    const content = `deploy number ${at} of service s${at % 200} failed at step k${at % 9} because ${CAUSES[at % 4]}${more}`
    return thought(content, { project: `project-${at % 5}` })
  })
  const few = [thought('deploy by hand', { project: 'tiny' }), thought('ask before a deploy', { project: 'tiny' })]
  for (let at = 0; at < many.length; at += store.batchMax)
    await store.put(storing(...many.slice(at, at + store.batchMax)))
  await store.put(storing(...few))
  await execute(url, 'analyze forge_memory.thoughts')
  const recallOf = async (queries, project) => {
    let [found, wanted] = [0, 0]
    for (const text of queries) {
      const narrowed = project === undefined ? {} : { project }
      const { thoughts } = await store.search(asking(text, { limit: TOP, ...narrowed }))
      const exact = await execute(url, EXACT, [text, project ?? null])
      assert.equal(thoughts.length, exact.length, `${text} in ${project ?? 'all projects'}`)
      wanted += exact.length
      // A hit with the score of the last exact one is as good.
      found += thoughts.filter(({ score }) => score >= exact.at(-1).score * (1 - 1e-6)).length
    }
    return found / wanted
  }
  const queries = {
    frequent: ['deploy', 'service failed', 'step because', 'deploy friday', 'team told friday', 'queue lock expired'],
    absent: [
      'deploy rollback',
      'deploy qqzzx',
      'qqzzx certificate wwyyx',
      'failed qqzzx friday',
      'rollback queue step',
    ],
    rare: ['deploy number 1234', 's17 certificate', 'service s42 qqzzx', 'number 77 of service'],
  }
  for (const [kind, list] of Object.entries(queries)) {
    for (const project of [undefined, 'project-3']) {
      const recall = await recallOf(list, project)
      t.diagnostic(`${kind} words in ${project ?? 'all projects'}: recall@${TOP} ${recall.toFixed(3)}`)
      assert.ok(recall >= 0.95, `${kind} words in ${project ?? 'all projects'}: ${recall}`)
    }
  }
  assert.equal(await recallOf(['deploy', 'deploy rollback', 'deploy qqzzx wwyyx', 'deploy certificate'], 'tiny'), 1)
  assert.deepEqual((await store.search(asking('qqzzx wwyyx'))).thoughts, [])
})
