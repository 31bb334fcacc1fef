// Q2: does recall find the lesson that a query was made from, and at which place?
import { readFileSync } from 'node:fs'
import { readQueries } from '../data/dataset.mjs'
import { SCRIPTS } from '../data/scripts.mjs'
import { positionOf } from '../data/store.mjs'
import { sizeName } from '../harness/command.mjs'
import { makeRow } from '../harness/row.mjs'

const SCRIPTS_STORE = 1000

/**
 * For every lesson that has near duplicates, all lessons that say the same. The package shows only one of them, the newest;
 * to find that one is to find the target.
 */
function sameLessons(near) {
  const same = new Map()
  const add = (position, other) => same.set(position, (same.get(position) ?? new Set()).add(other))
  for (const [later, candidates] of near) {
    for (const { earlier } of candidates) {
      add(later, earlier)
      add(earlier, later)
    }
  }
  return same
}

/** `answers` are lists of positions, best first; `isFound` tells whether a position is what the query looks for. */
function score(queries, answers, isFound) {
  let [found, reciprocal] = [0, 0]
  for (const [at, query] of queries.entries()) {
    const place = answers[at].slice(0, 10).findIndex((position) => isFound(query, position))
    if (place < 0) continue
    found++
    reciprocal += 1 / (place + 1)
  }
  return { recall: found / queries.length, reciprocalRank: reciprocal / queries.length }
}

const readAnswers = (path) => JSON.parse(readFileSync(path, 'utf8'))

function measureSize(bench, size) {
  const { rankingQueries: queriesPath } = bench.dataset(size)
  const queries = readQueries(queriesPath)
  const [oursPath, ftsPath] = [bench.path(`recall-${size}.json`), bench.path(`fts-${size}.json`)]
  bench.progress(`asking ${queries.length} queries of ${sizeName(size)}`)
  bench.children.run('recall-loop', { dir: bench.written(size), queries: queriesPath, passes: 0, answers: oursPath })
  bench.fts('query', { db: bench.database(size), queries: queriesPath, passes: 0, answers: ftsPath })
  const ours = readAnswers(oursPath).map((ids) => ids.map(positionOf))
  const fts = readAnswers(ftsPath)
  const same = sameLessons(bench.nearPairs(size).near)
  const isVery = (query, position) => position === query.target
  const isSame = (query, position) => isVery(query, position) || same.get(query.target)?.has(position)
  return [
    ...rowsOf(size, 'the target or a duplicate of it', score(queries, ours, isSame), score(queries, fts, isSame), true),
    ...rowsOf(
      size,
      'the very target, duplicates apart',
      score(queries, ours, isVery),
      score(queries, fts, isVery),
      false,
    ),
  ]
}

function rowsOf(size, what, ours, fts, isJudged) {
  const row = (fields) => makeRow({ measure: 'Q2', size, unit: 'share', ...fields })
  return [
    row({
      what: `recall@10, ${what}`,
      ours: ours.recall,
      reference: { name: 'FTS5', value: fts.recall },
      target: isJudged ? { atLeast: 0.99 } : undefined,
    }),
    row({
      what: `mean reciprocal rank, ${what}`,
      ours: ours.reciprocalRank,
      reference: { name: 'FTS5', value: fts.reciprocalRank },
      target: isJudged ? { atLeast: fts.reciprocalRank - 0.005 } : undefined,
    }),
  ]
}

function measureScripts(bench) {
  const dir = bench.copyProject(bench.captured(SCRIPTS_STORE).dir, 'scripts')
  const { found, missed } = bench.children.run('scripts', { dir })
  return makeRow({
    measure: 'Q2',
    what: 'lessons in other scripts, found',
    note: missed.length > 0 ? `not found: ${missed.join(', ')}` : `of ${SCRIPTS.length}`,
    size: SCRIPTS_STORE,
    unit: 'share',
    ours: found / SCRIPTS.length,
    target: { exactly: 1 },
  })
}

export function measure(bench) {
  return [...bench.options.sizes.flatMap((size) => measureSize(bench, size)), measureScripts(bench)]
}
