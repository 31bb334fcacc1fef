// P4: the index is derived. What it costs to build it again, to keep, and to catch up with lines of other programs.
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { rawLogPath } from '../data/store.mjs'
import { folderBytes } from '../harness/bench.mjs'
import { hasTaskset } from '../harness/children.mjs'
import { sizeName } from '../harness/command.mjs'
import { makeRow } from '../harness/row.mjs'

const PER = 100_000
const FOREIGN_LINES = 10_000
/** Above every position that a store of any size has. */
const FOREIGN_POSITION = 100_000_000

const least = (rounds, name) => Math.min(...rounds.map((round) => round[name]))

function rebuild(bench, dir, size) {
  const rounds = []
  bench.eachRound(`${sizeName(size)}, from nothing`, (round) => {
    rmSync(join(dir, '.forge', 'index'), { recursive: true, force: true })
    rounds.push(bench.children.run('rebuild', { dir, round }, { oneCore: true }))
  })
  return rounds
}

function catchUp(bench, dir, size) {
  const { fresh } = bench.dataset(size)
  const rounds = []
  bench.eachRound(`${sizeName(size)}, foreign lines`, (round) => {
    const firstPosition = FOREIGN_POSITION + round * FOREIGN_LINES
    rounds.push(bench.children.run('catch-up', { dir, fresh, firstPosition, count: FOREIGN_LINES }))
    bench.children.run('settle', { dir })
  })
  return rounds
}

function measureSize(bench, size) {
  const dir = bench.copyProject(bench.captured(size).dir, `index-${size}`)
  const row = (fields) => makeRow({ measure: 'P4', size, ...fields })
  const rebuilt = rebuild(bench, dir, size)
  const share = folderBytes(join(dir, '.forge', 'index')) / statSync(rawLogPath(dir)).size
  const caughtUp = catchUp(bench, dir, size)
  const wallSeconds = (least(rebuilt, 'wallMs') / 1e3 / size) * PER
  return [
    row({
      what: `every index from nothing, processor time per ${sizeName(PER)}`,
      note: `${wallSeconds.toFixed(2)} s on the clock, ${hasTaskset() ? 'one core' : 'all cores'}`,
      unit: 's',
      ours: (least(rebuilt, 'cpuMs') / 1e3 / size) * PER,
      target: size >= PER ? { atMost: 0.7 } : undefined,
    }),
    row({ what: 'index bytes per byte of the raw log', unit: 'share', ours: share, target: { atMost: 1 } }),
    row({
      what: 'catching up with foreign lines, processor time per record',
      note: `${least(caughtUp, 'wallPerRecordUs').toFixed(1)} us on the clock`,
      unit: 'us',
      ours: least(caughtUp, 'cpuPerRecordUs'),
      target: { atMost: 15 },
    }),
  ]
}

/** The index of notes of every length; what counts is their bytes. */
function measureNotes(bench, size) {
  const dir = bench.copyProject(bench.written(size, 'notes'), `index-notes-${size}`)
  const megabytes = statSync(rawLogPath(dir)).size / 1e6
  const rebuilt = rebuild(bench, dir, size)
  return makeRow({
    measure: 'P4',
    size,
    what: 'every index of notes from nothing, processor time per MB of the raw log',
    note: `${megabytes.toFixed(0)} MB`,
    unit: 'ms',
    ours: least(rebuilt, 'cpuMs') / megabytes,
  })
}

const NOTES_MAX = 100_000

export function measure(bench) {
  const { sizes } = bench.options
  const notes = sizes.filter((size) => size <= NOTES_MAX)
  return [...sizes.flatMap((size) => measureSize(bench, size)), ...notes.map((size) => measureNotes(bench, size))]
}
