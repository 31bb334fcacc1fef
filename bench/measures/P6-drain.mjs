// P6: draining the queue into a store that takes everything at once, and one pass over queues of different lengths.
import { sizeName } from '../harness/command.mjs'
import { makeRow } from '../harness/row.mjs'

const BATCH = 500
const SIZES = [1_000, 10_000, 100_000]

function measureSize(bench, size) {
  const dir = bench.newProject(`drain-${size}`)
  const rounds = []
  bench.eachRound(sizeName(size), () => {
    const ours = bench.children.run('drain-loop', { dir, count: size, batch: BATCH })
    if (ours.drained !== size) throw new Error(`${ours.drained} of ${size} records were drained`)
    rounds.push({ ...ours, node: bench.children.run('drain-by-node', { dir }) })
  })
  const least = (of) => Math.min(...rounds.map(of))
  return {
    wholeMs: least(({ whole }) => whole.wallMs),
    wholeCpuMs: least(({ whole }) => whole.cpuMs),
    firstMs: least(({ first }) => first.wallMs),
    nodeMs: least(({ node }) => node.wallMs),
  }
}

export function measure(bench) {
  const results = new Map(SIZES.map((size) => [size, measureSize(bench, size)]))
  const small = results.get(SIZES[0])
  return SIZES.flatMap((size) => {
    const { wholeMs, wholeCpuMs, firstMs, nodeMs } = results.get(size)
    const row = (fields) => makeRow({ measure: 'P6', size, ...fields })
    const target = { 10000: { atMost: 100 }, 100000: { atMost: 1000 } }[size]
    return [
      row({
        what: `drain of the whole queue, ${BATCH} records a pass`,
        unit: 'ms',
        ours: wholeMs,
        note: `${wholeCpuMs.toFixed(0)} ms of processor time`,
        reference: { name: 'Node parses and rewrites', value: nodeMs },
        target,
      }),
      row({
        what: 'first pass of a process, 50 records',
        unit: 'ms',
        ours: firstMs,
        reference: { name: `the same at ${sizeName(SIZES[0])}`, value: small.firstMs },
        target: size === SIZES.at(-1) ? { ratioAtMost: 3 } : undefined,
      }),
    ]
  })
}
