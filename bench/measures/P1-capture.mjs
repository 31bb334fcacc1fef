// P1: `captureMemory` with all its files and the duplicate check over the whole history, against Node appending one line.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rawLogPath } from '../data/store.mjs'
import { sizeName } from '../harness/command.mjs'
import { makeRow } from '../harness/row.mjs'
import { joinRounds } from '../harness/statistics.mjs'

const HOT_CALLS = 2000
const BETWEEN_CALLS = 200
const CALLS_A_ROUND = HOT_CALLS + BETWEEN_CALLS + 100
const MILLION = 1_000_000

/** The mean length of the lines that the package itself writes. */
function lineBytes(dir) {
  // Not as a text: a million lines are longer than Node lets one be.
  const bytes = readFileSync(rawLogPath(dir))
  let lines = 0
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++
  return Math.round(bytes.length / lines)
}

/** A copied journal is another one to the index, which is built anew: not in the first call that is measured. */
function settledCopy(bench, from, name) {
  const dir = bench.copyProject(from, name)
  bench.children.run('settle', { dir })
  return dir
}

function measureSize(bench, size) {
  const captured = bench.captured(size)
  const dir = settledCopy(bench, captured.dir, `capture-${size}`)
  const { fresh } = bench.dataset(size)
  const bytes = lineBytes(bench.captured(bench.options.sizes[0]).dir)
  const file = join(dir, 'appended.txt')
  const database = bench.database(size)
  const rounds = { hot: [], between: [], appendHot: [], appendBetween: [], insert: [], files: [] }
  bench.eachRound(sizeName(size), (round) => {
    const skip = (round * CALLS_A_ROUND) % 16_000
    const loop = (calls, between, from) =>
      bench.children.run('capture-loop', { dir, fresh, skip: from, count: calls, between })
    const append = (count, between) => bench.children.run('append-loop', { file, bytes, count, between })
    rounds.appendHot.push(append(HOT_CALLS, false))
    rounds.hot.push(loop(HOT_CALLS, false, skip))
    rounds.files.push(bench.files('append', { dir: join(dir, 'files'), count: HOT_CALLS }))
    rounds.appendBetween.push(append(BETWEEN_CALLS, true))
    rounds.between.push(loop(BETWEEN_CALLS, true, skip + HOT_CALLS + 50))
    rounds.insert.push(bench.fts('insert', { db: database, fresh, skip, count: BETWEEN_CALLS }))
  })
  return Object.fromEntries(Object.entries(rounds).map(([name, list]) => [name, joinRounds(list)]))
}

const noteOf = (summary) => `p99 ${Math.round(summary.p99Us)} us; p50 on the clock ${Math.round(summary.wallP50Us)} us`

function rowsOf(bench, size, result) {
  const row = (fields) => makeRow({ measure: 'P1', size, unit: 'us', ...fields })
  const { seconds, all } = bench.captured(size)
  const target = (usual) => {
    if (size >= MILLION) return { ratioAtMost: 15 }
    return size === 100_000 ? { ratioAtMost: usual } : undefined
  }
  return [
    row({
      what: 'capture, hot, typical',
      note: noteOf(result.hot),
      ours: result.hot.typicalUs,
      reference: { name: 'appendFileSync', value: result.appendHot.typicalUs },
      target: target(8),
    }),
    row({
      what: 'capture, hot, typical',
      ours: result.hot.typicalUs,
      reference: { name: 'its files alone (lock, 7 looks, 5 lines)', value: result.files.typicalUs },
    }),
    row({
      what: 'the files of a capture alone, typical',
      ours: result.files.typicalUs,
      reference: { name: 'appendFileSync', value: result.appendHot.typicalUs },
    }),
    row({
      what: 'capture, hot, mean',
      ours: result.hot.meanUs,
      reference: { name: 'appendFileSync mean', value: result.appendHot.meanUs },
    }),
    row({
      what: 'capture, between, typical',
      note: noteOf(result.between),
      ours: result.between.typicalUs,
      reference: { name: 'appendFileSync between', value: result.appendBetween.typicalUs },
      target: target(8),
    }),
    row({
      what: 'capture, between, typical',
      ours: result.between.typicalUs,
      reference: { name: 'appendFileSync, hot', value: result.appendHot.typicalUs },
    }),
    row({
      what: 'capture, hot, typical',
      ours: result.hot.typicalUs,
      reference: { name: 'FTS5 insert (WAL, NORMAL)', value: result.insert.typicalUs },
      target: size === 100_000 ? { ratioAtMost: 1 } : undefined,
    }),
    row({ what: 'first capture of a process', ours: result.hot.firstUs }),
    row({
      what: 'filling the store, one call a lesson, mean',
      note: `${seconds.toFixed(1)} s on the clock in all`,
      ours: all.meanUs,
    }),
  ]
}

function growthRow(results) {
  const [first, last] = [results[0], results.at(-1)]
  return makeRow({
    measure: 'P1',
    what: 'capture, hot, typical: growth from the smallest store',
    size: last.size,
    unit: 'us',
    ours: last.result.hot.typicalUs,
    reference: { name: `at ${sizeName(first.size)}`, value: first.result.hot.typicalUs },
    target: { ratioAtMost: 4 },
  })
}

/** Lengths of notes, and how many are captured of each. */
const NOTES = [
  [150, 300],
  [2000, 200],
  [10_000, 100],
  [60_000, 40],
]
/** Microseconds that a capture may take, by the length of the note and the size of the store. */
const NOTE_LIMITS = {
  2000: { 10000: 500, 100000: 3000 },
  10000: { 10000: 2000 },
  60000: { 10000: 10_000 },
}

function measureNotes(bench, size) {
  const dir = settledCopy(bench, bench.written(size, 'notes'), `capture-notes-${size}`)
  const rounds = []
  bench.eachRound(`notes into ${sizeName(size)}`, (round) => {
    rounds.push(bench.children.run('capture-notes', { dir, round, lengths: NOTES }))
  })
  return new Map(NOTES.map(([bytes]) => [bytes, joinRounds(rounds.map((times) => times[bytes]))]))
}

function noteRows(size, times, smallest) {
  return [...times].flatMap(([bytes, summary]) => {
    const row = (fields) => makeRow({ measure: 'P1', size, unit: 'us', ours: summary.typicalUs, ...fields })
    const limit = NOTE_LIMITS[bytes]?.[size]
    const what = `capture of a note of ${bytes} bytes among notes, typical`
    const growth = smallest.size !== size && {
      what: `${what}: growth from the smallest store`,
      reference: { name: `at ${sizeName(smallest.size)}`, value: smallest.times.get(bytes).typicalUs },
      target: { ratioAtMost: 4 },
    }
    return [row({ what, note: noteOf(summary), target: limit ? { atMost: limit } : undefined }), growth && row(growth)]
  })
}

export function measure(bench) {
  const { sizes } = bench.options
  const results = sizes.map((size) => ({ size, result: measureSize(bench, size) }))
  const rows = results.flatMap(({ size, result }) => rowsOf(bench, size, result))
  const growth = results.length > 1 ? [growthRow(results)] : []
  const notes = sizes.filter((size) => size < MILLION).map((size) => ({ size, times: measureNotes(bench, size) }))
  return [...rows, ...growth, ...notes.flatMap(({ size, times }) => noteRows(size, times, notes[0])).filter(Boolean)]
}
