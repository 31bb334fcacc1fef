// P7: migrating 100,000 lines, and what else works on all lines of a memory: verifying them, merging two
// branches, and for notes of every length also index, audit, export and compaction. An import of old records.
import { sizeName } from '../harness/command.mjs'
import { makeRow } from '../harness/row.mjs'

const SIZE = 100_000
const WHAT = {
  migrate: ['migration of lines without version and id, backup included', 200],
  verify: ['verification of stamped records', 500],
  merge: ['merge of two branches, each with 5 % of its own', 1000],
}

/** Work on notes is measured at both sizes: it has to grow as they do. */
const SMALLER = 25_000
const GROWTH_MAX = (SIZE / SMALLER) * 1.5
const NOTES_WHAT = {
  migrate: 'migration of notes',
  verify: 'verification of notes',
  index: 'index of notes, from nothing',
  audit: 'audit of notes',
  export: 'export of notes as Markdown',
  merge: 'merge of two branches of notes',
  compact: 'compaction of notes, a tenth of them forgotten',
}
const IMPORT_MS = 5000

function measureNotes(bench) {
  const [smaller, larger] = [SMALLER, SIZE].map((size) => {
    bench.progress(`work on ${sizeName(size)} notes`)
    const { corpus } = bench.dataset(size, 'notes')
    return bench.children.run('upkeep-notes', { dir: bench.newProject(`upkeep-${size}`), corpus })
  })
  return Object.entries(NOTES_WHAT).map(([name, what]) =>
    makeRow({
      measure: 'P7',
      what: `${what}, processor time`,
      size: SIZE,
      unit: 'ms',
      ours: larger[name].cpuMs,
      reference: { name: `at ${sizeName(SMALLER)}`, value: smaller[name].cpuMs },
      target: { ratioAtMost: GROWTH_MAX },
    }),
  )
}

function measureImport(bench) {
  const { wallMs, cpuMs } = bench.children.run('import-old', { dir: bench.newProject('import-old'), size: SIZE })
  return makeRow({
    measure: 'P7',
    what: 'import of records of 600 bytes that are years old, processor time',
    size: SIZE,
    unit: 'ms',
    note: `${wallMs.toFixed(0)} ms on the clock`,
    ours: cpuMs,
    target: { atMost: IMPORT_MS },
  })
}

function measureLines(bench) {
  const found = bench.children.run('upkeep', { size: SIZE, runs: 5 })
  return Object.entries(WHAT).map(([name, [what, atMost]]) => {
    const { wallMs, cpuMs } = found[name]
    const note = `${cpuMs.toFixed(0)} ms of processor time`
    return makeRow({ measure: 'P7', what, size: SIZE, unit: 'ms', ours: wallMs, target: { atMost }, note })
  })
}

export function measure(bench) {
  return [...measureLines(bench), ...measureNotes(bench), measureImport(bench)]
}
