// P14: searches in the embedded store by a process that has just opened it, without the embedding of the query.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { sizeName } from '../harness/command.mjs'
import { makeRow } from '../harness/row.mjs'

const SIZES = [10_000, 100_000]
const SEED = 20_261_121
const KINDS = {
  rare: 'three rarer words',
  mixed: 'two rarer words and a frequent one',
  'one frequent word': 'one word',
  sentence: 'a whole lesson',
}

function measureSize(bench, size) {
  const dir = bench.path(`vectors-${size}`)
  const input = { path: join(dir, 'openbrain.db'), count: size, seed: SEED }
  rmSync(dir, { recursive: true, force: true })
  bench.children.run('vector-fill', input)
  const rounds = []
  bench.eachRound(sizeName(size), () => {
    rounds.push(bench.children.run('vector-search', input))
  })
  rmSync(dir, { recursive: true, force: true })
  return rounds
}

export function measure(bench) {
  return SIZES.flatMap((size) => {
    const rounds = measureSize(bench, size)
    const bestOf = (read) => rounds.map(read).reduce((left, right) => (right.wallP50Us < left.wallP50Us ? right : left))
    const row = (fields) => makeRow({ measure: 'P14', size, unit: 'ms', ...fields })
    const timed = (what, read, target) => {
      const { wallP50Us, typicalUs } = bestOf(read)
      const note = `${(typicalUs / 1e3).toFixed(2)} ms of processor time`
      return row({ what, ours: wallP50Us / 1e3, note, target: size === 100_000 ? target : undefined })
    }
    const first = rounds.reduce((left, right) => (right.firstMs < left.firstMs ? right : left))
    return [
      row({
        what: 'first search of a process by meaning, 384 dimensions',
        ours: first.firstMs,
        note: `${first.firstCpuMs.toFixed(0)} ms of processor time`,
        target: size === 100_000 ? { atMost: 150 } : undefined,
      }),
      timed('exact search by meaning, top 10, whole records', ({ meaning }) => meaning, { atMost: 6 }),
      row({
        what: 'recall@10 against a sum in doubles',
        unit: 'share',
        ours: Math.min(...rounds.map(({ recall }) => recall)),
        target: { exactly: 1 },
      }),
      ...Object.entries(KINDS).flatMap(([kind, name]) => [
        timed(`search by words, ${name}`, ({ words }) => words[kind], { atMost: 10 }),
        timed(`search by words and meaning, ${name}`, ({ both }) => both[kind], { atMost: 10 }),
      ]),
    ]
  })
}
