// P2: the ten best records for three words, against SQLite FTS5 and FlexSearch over the same lessons.

import { sizeName } from '../harness/command.mjs'
import { makeRow } from '../harness/row.mjs'
import { joinRounds } from '../harness/statistics.mjs'

const MILLION = 1_000_000
const KINDS = ['rare', 'mixed']
const BETWEEN_QUERIES = 100
const PASSES = 3

const byKind = (rounds) =>
  Object.fromEntries(KINDS.map((kind) => [kind, joinRounds(rounds.map((round) => round[kind]))]))

function measureSize(bench, size) {
  const dir = bench.written(size)
  const db = bench.database(size)
  const { corpus, queries } = bench.dataset(size)
  const isLarge = size >= MILLION
  const rounds = { ours: [], between: [], fts: [], flexsearch: [] }
  bench.eachRound(sizeName(size), () => {
    rounds.fts.push(bench.fts('query', { db, queries, passes: PASSES }))
    rounds.ours.push(bench.children.run('recall-loop', { dir, queries, passes: PASSES }))
    // A million lessons take FlexSearch minutes and gigabytes to index.
    if (!isLarge) rounds.flexsearch.push(bench.children.run('flexsearch-loop', { corpus, queries, passes: PASSES }))
    rounds.between.push(bench.children.run('recall-loop', { dir, queries, passes: 1, between: BETWEEN_QUERIES }))
  })
  return {
    ours: byKind(rounds.ours),
    between: byKind(rounds.between),
    fts: byKind(rounds.fts),
    flexsearch: isLarge ? undefined : byKind(rounds.flexsearch),
    firstUs: Math.min(...rounds.ours.map((round) => round.firstUs)),
  }
}

function ftsLimit(size, kind) {
  if (size >= MILLION) return 1 / 20
  return kind === 'rare' ? 1 / 10 : 1 / 30
}

function rowsOf(size, result) {
  // The targets are stated for these sizes; at others the rows are for information.
  const isJudged = size === 100_000 || size >= MILLION
  const judged = (target) => (isJudged ? target : undefined)
  const row = (fields) => makeRow({ measure: 'P2', size, unit: 'us', ...fields })
  const rows = KINDS.flatMap((kind) => [
    row({
      what: `recall, ${kind}, typical`,
      ours: result.ours[kind].typicalUs,
      reference: { name: 'FTS5', value: result.fts[kind].typicalUs },
      target: judged({ ratioAtMost: ftsLimit(size, kind) }),
    }),
    result.flexsearch &&
      row({
        what: `recall, ${kind}, typical`,
        ours: result.ours[kind].typicalUs,
        reference: { name: 'FlexSearch', value: result.flexsearch[kind].typicalUs },
        target: judged({ ratioAtMost: 1 / 2 }),
      }),
    row({
      what: `recall, ${kind}, typical`,
      note: `p50 on the clock ${Math.round(result.ours[kind].wallP50Us)} us`,
      ours: result.ours[kind].typicalUs,
      target: size === 100_000 ? { atMost: 100 } : undefined,
    }),
    row({
      what: `recall, ${kind}, p99`,
      ours: result.ours[kind].p99Us,
      reference: { name: 'FTS5', value: result.fts[kind].p99Us },
      target: size === 100_000 ? { atMost: 1000 } : undefined,
    }),
    row({ what: `recall, ${kind}, between, typical`, ours: result.between[kind].typicalUs }),
  ])
  return [...rows.filter(Boolean), row({ what: 'first recall of a process', ours: result.firstUs })]
}

/** The same among notes of every length. */
function measureNotes(bench, size) {
  const dir = bench.written(size, 'notes')
  const { queries } = bench.dataset(size, 'notes')
  const rounds = []
  bench.eachRound(`notes, ${sizeName(size)}`, () => {
    rounds.push(bench.children.run('recall-loop', { dir, queries, passes: PASSES }))
  })
  return Object.entries(byKind(rounds)).map(([kind, summary]) =>
    makeRow({
      measure: 'P2',
      size,
      unit: 'us',
      what: `recall among notes, ${kind}, typical`,
      note: `p99 ${Math.round(summary.p99Us)} us`,
      ours: summary.typicalUs,
    }),
  )
}

export function measure(bench) {
  const { sizes } = bench.options
  const notes = sizes.filter((size) => size < MILLION)
  return [
    ...sizes.flatMap((size) => rowsOf(size, measureSize(bench, size))),
    ...notes.flatMap((size) => measureNotes(bench, size)),
  ]
}
