// The command line of the benchmark.
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

export const USAGE = `usage: node bench/run.mjs [options]

  --sizes LIST     lessons in the store, for example 10k,100k,1M      (default 10k,100k)
  --only LIST      only these measures, for example P1,P2,Q1          (default all)
  --rounds N       rounds of every interleaved measure                (default 5)
  --seconds N      how long Q3 kills writers                          (default 60)
  --deep           also: duplicates at 1M, a file of more than 512 MiB
  --work DIR       where generated data and stores go                 (default a folder in the system's temporary one)
  --save           write bench/results.md even though --only was given
  --json           one JSON document on standard output, no table
`

const OPTIONS = {
  sizes: { type: 'string', default: '10k,100k' },
  only: { type: 'string' },
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '60' },
  deep: { type: 'boolean', default: false },
  work: { type: 'string', default: join(tmpdir(), 'forge-memory-bench') },
  save: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
}

const MULTIPLIERS = { k: 1e3, M: 1e6 }

function parseSize(text) {
  const match = /^(\d+)([kM]?)$/.exec(text)
  if (!match || Number(match[1]) === 0) throw new Error(`not a size: ${text}`)
  return Number(match[1]) * (MULTIPLIERS[match[2]] ?? 1)
}

function parseCount(name, text) {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${name} takes a whole number from 1, not ${text}`)
  return Number(text)
}

export function parseCommand(args) {
  const { values } = parseArgs({ args, options: OPTIONS })
  return {
    ...values,
    sizes: values.sizes
      .split(',')
      .map(parseSize)
      .sort((left, right) => left - right),
    only: values.only?.split(','),
    rounds: parseCount('rounds', values.rounds),
    seconds: parseCount('seconds', values.seconds),
    work: resolve(values.work),
  }
}

/** 10000 -> `10k`. */
export function sizeName(size) {
  for (const [letter, factor] of Object.entries(MULTIPLIERS).reverse()) {
    if (size >= factor && size % factor === 0) return `${size / factor}${letter}`
  }
  return String(size)
}
