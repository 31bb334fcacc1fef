// P15: what it takes to look whether what ten hits name still stands, against the same recall without the look.
import { sizeName } from '../harness/command.mjs'
import { makeRow } from '../harness/row.mjs'
import { joinRounds } from '../harness/statistics.mjs'

const CALLS = 2000

function measureSize(bench, size) {
  const rounds = { checked: [], unchecked: [] }
  bench.eachRound(`drift, ${sizeName(size)}`, () => {
    for (const [name, isChecked] of [
      ['checked', true],
      ['unchecked', false],
    ]) {
      const dir = bench.copyProject(bench.written(size), `drift-${name}-${size}`)
      rounds[name].push(bench.children.run('drift-loop', { dir, isChecked, calls: CALLS }))
    }
  })
  const [checked, unchecked] = [joinRounds(rounds.checked), joinRounds(rounds.unchecked)]
  if (checked.found !== 10 || unchecked.found !== 0)
    throw new Error(`checked ${checked.found} and ${unchecked.found} of 10`)
  const row = (fields) => makeRow({ measure: 'P15', size, unit: 'us', ...fields })
  return [
    row({
      what: 'freshness of ten hits, on top of recall, typical',
      note: `recall ${Math.round(unchecked.typicalUs)} us without, ${Math.round(checked.typicalUs)} us with`,
      ours: checked.typicalUs - unchecked.typicalUs,
      target: { atMost: 1000 },
    }),
    row({ what: 'recall of ten hits with their freshness, p99', ours: checked.p99Us }),
    row({
      what: 'the same, first of a process, which reads ten files',
      ours: checked.firstUs,
      note: `${Math.round(unchecked.firstUs)} us without`,
    }),
  ]
}

export function measure(bench) {
  return bench.options.sizes.flatMap((size) => measureSize(bench, size))
}
