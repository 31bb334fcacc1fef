// P14: search by meaning in the embedded store, without the embedding of the query.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { sizeName } from '../harness/command.mjs'
import { makeRow } from '../harness/row.mjs'

const SIZES = [10_000, 100_000]

function measureSize(bench, size) {
  const dir = bench.path(`vectors-${size}`)
  const rounds = []
  bench.eachRound(sizeName(size), () => {
    rmSync(dir, { recursive: true, force: true })
    rounds.push(bench.children.run('vector-search', { path: join(dir, 'openbrain.db'), count: size }))
  })
  rmSync(dir, { recursive: true, force: true })
  return rounds
}

export function measure(bench) {
  return SIZES.flatMap((size) => {
    const rounds = measureSize(bench, size)
    const best = rounds.reduce((left, right) => (right.wallP50Us < left.wallP50Us ? right : left))
    const row = (fields) => makeRow({ measure: 'P14', size, ...fields })
    return [
      row({
        what: 'exact search by meaning, 384 dimensions, top 10, whole records',
        unit: 'ms',
        ours: best.wallP50Us / 1e3,
        note: `${(best.typicalUs / 1e3).toFixed(2)} ms of processor time; first search ${best.firstMs.toFixed(0)} ms`,
        target: size === 100_000 ? { atMost: 6 } : undefined,
      }),
      row({
        what: 'recall@10 against a sum in doubles',
        unit: 'share',
        ours: Math.min(...rounds.map(({ recall }) => recall)),
        target: { exactly: 1 },
      }),
    ]
  })
}
