// P16: the shared store in PostgreSQL with pgvector on this machine, beside full-text search and pgvector in plain SQL on the same tables.
// The clock counts: most of the work is in the processes of the server.
import { sizeName } from '../harness/command.mjs'
import { makeRow } from '../harness/row.mjs'

const SIZES = [100_000]
/** Only these have targets; the queries are those of P2. */
const KINDS = {
  rare: 'three rarer words',
  mixed: 'two rarer words and a frequent one',
  'one frequent word': 'one word',
  sentence: 'a whole lesson',
}

export function measure(bench) {
  return SIZES.flatMap((size) => {
    bench.progress(`${sizeName(size)} thoughts in PostgreSQL`)
    const found = bench.children.run('postgres', { count: size })
    const row = (fields) => makeRow({ measure: 'P16', size, ...fields })
    return [...loading(row, found), ...words(row, found), ...meaning(row, found), ...afar(row, found)]
  })
}

function loading(row, { putMs, embedMs, plainMs, smallPerSecond, plainPerSecond, largePerSecond, withoutVector }) {
  return [
    row({
      what: 'first load: thoughts, vectors at hand, index built once',
      unit: 'ms',
      ours: putMs + embedMs,
      note: `${(putMs / 1000).toFixed(1)} s until all are found by words`,
      reference: { name: 'insert of the vectors and create index alone', value: plainMs },
      target: { atMost: 150_000 },
    }),
    row({
      what: 'deliveries a second beside the index, 50 at a time with their vectors',
      unit: 'count',
      ours: Math.round(smallPerSecond),
      reference: { name: 'insert of such vectors alone', value: plainPerSecond },
      target: { atLeast: 1000 },
    }),
    row({
      what: 'the same, 500 at a time, found by words; their vectors follow',
      unit: 'count',
      ours: Math.round(largePerSecond),
    }),
    row({ what: 'thoughts without a vector at the end', unit: 'count', ours: withoutVector, target: { exactly: 0 } }),
  ]
}

function words(row, { byWords }) {
  return Object.entries(byWords).flatMap(([kind, { p50, p95, recall, anyWordP50, everyWordP50 }]) => [
    row({
      what: `search by words, ${KINDS[kind]}`,
      unit: 'ms',
      ours: p50,
      note: `p95 ${p95.toFixed(1)} ms; every word required, ids only: ${everyWordP50.toFixed(1)} ms`,
      reference: { name: 'every match ranked, ids only', value: anyWordP50 },
      target: { atMost: 15 },
    }),
    row({ what: `its recall@10 against every match ranked, ${KINDS[kind]}`, unit: 'share', ours: recall }),
  ])
}

function meaning(row, { byMeaning, both, inProject }) {
  const { p50, p95, recall, plain, exactP50 } = byMeaning
  const settings = Object.entries(plain).map(
    ([ef, { p50: each, recall: share }]) => `${ef}: ${each.toFixed(1)} ms, ${share.toFixed(3)}`,
  )
  return [
    row({
      what: 'search by meaning, 384 dimensions, top 10, whole records',
      unit: 'ms',
      ours: p50,
      note: `p95 ${p95.toFixed(1)} ms; pgvector by ef_search ${settings.join('; ')}; exact ${exactP50.toFixed(0)} ms`,
      reference: { name: 'pgvector with ef_search 100, ids only', value: plain[100].p50 },
      target: { atMost: 15 },
    }),
    row({ what: 'its recall@10 against an exact scan', unit: 'share', ours: recall, target: { atLeast: 0.95 } }),
    row({ what: 'search by words and meaning', unit: 'ms', ours: both.p50, note: `p95 ${both.p95.toFixed(1)} ms` }),
    row({
      what: 'the same in one of fifty projects',
      unit: 'ms',
      ours: inProject.p50,
      note: `p95 ${inProject.p95.toFixed(1)} ms`,
      target: { atMost: 20 },
    }),
  ]
}

function afar(row, { distant, one, oneStatements }) {
  return [
    row({
      what: 'twenty searches at once, 80 ms away, the slowest',
      unit: 'ms',
      ours: Math.max(distant.warm.max, distant.again.max),
      note: `${distant.cold.max.toFixed(0)} ms with connections still to be made`,
      target: { atMost: 400 },
    }),
    row({ what: 'one search from there', unit: 'ms', ours: one, note: `${oneStatements} round trip` }),
  ]
}
