// The states in which a process finds a store: the first recall of a process in each, and that of the process after it.
import {
  appendFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { readQueries } from '../data/dataset.mjs'
import { makeRow } from '../harness/row.mjs'
import { median } from '../harness/statistics.mjs'

const SIZES = [1000, 4000, 12_000, 100_000]
const FIRST_MS = 15
/** Only when it is asked for: an index of so many is made in a minute. */
const LARGEST = 1_000_000
const FIRST_OF_LARGEST_MS = 60
const LOG = '.forge/memory-captures.jsonl'
const TAIL_RECORDS = 200

/** The segments of the index, the largest first. */
function segments(dir) {
  const index = join(dir, '.forge/index')
  const files = readdirSync(index, { recursive: true }).map((name) => join(index, name))
  return files.filter((file) => file.endsWith('.seg')).sort((a, b) => statSync(b).size - statSync(a).size)
}

/** Lines of other records, as another branch or another program has them. */
function otherLines(dir) {
  const lines = readFileSync(join(dir, LOG), 'utf8').trimEnd().split('\n').slice(0, TAIL_RECORDS)
  const other = lines.map((line, at) => {
    const record = JSON.parse(line)
    delete record.hallmark
    return JSON.stringify({ ...record, id: `mem_other${at}`, content: `${record.content} Of another branch, ${at}.` })
  })
  return `${other.join('\n')}\n`
}

/** What becomes of a copy of the store before it is asked. `isMade` says that its index has to be made first, in part or as a whole. */
const STATES = {
  current: {},
  copied: { change: (dir, from) => cpSync(from, dir, { recursive: true, force: true }) },
  'copied with its times': { copy: { preserveTimestamps: true } },
  'with 200 new records at its end': { change: (dir) => appendFileSync(join(dir, LOG), otherLines(dir)) },
  'merged: 200 records in front': {
    isMade: true,
    change: (dir) => writeFileSync(join(dir, LOG), otherLines(dir) + readFileSync(join(dir, LOG), 'utf8')),
  },
  'its last record cut off': {
    isMade: true,
    change: (dir) => truncateSync(join(dir, LOG), statSync(join(dir, LOG)).size - 40),
  },
  'without an index': { isMade: true, change: (dir) => rmSync(join(dir, '.forge/index'), { recursive: true }) },
  'a segment is missing': { isMade: true, change: (dir) => rmSync(segments(dir)[0]) },
  'a segment is damaged': {
    isMade: true,
    change(dir) {
      const [file] = segments(dir)
      const bytes = readFileSync(file)
      bytes.fill(88, 600, 700)
      writeFileSync(file, bytes)
    },
  },
  'a manifest of another machine': {
    isMade: true,
    change(dir) {
      const index = join(dir, '.forge/index')
      const names = readdirSync(index, { recursive: true }).filter((name) => name.endsWith('manifest.json'))
      for (const name of names) writeFileSync(join(index, name), '{}')
    },
  },
}

export function measure(bench) {
  const sizes = bench.options.sizes.includes(LARGEST) ? [LARGEST] : SIZES
  return sizes.flatMap((size) => {
    const from = bench.written(size)
    const queries = readQueries(bench.dataset(size).queries).map(({ text }) => text)
    return Object.entries(STATES).flatMap(([state, { change, copy, isMade }]) => {
      const times = { first: [], next: [] }
      bench.eachRound(state, (round) => {
        const dir = bench.path(`state-${round}`)
        rmSync(dir, { recursive: true, force: true })
        cpSync(from, dir, { recursive: true, ...copy })
        const ask = (query) => bench.children.run('first-recall', { dir, query }).ms
        // A copy is new to the machine; what the other states change is a store that was asked before.
        if (change !== undefined) ask(queries[0])
        change?.(dir, from)
        times.first.push(ask(queries[round % queries.length]))
        times.next.push(ask(queries[round % queries.length]))
        rmSync(dir, { recursive: true })
      })
      return ['first', 'next'].map((which) =>
        makeRow({
          measure: 'states',
          what: `${state}: ${which === 'first' ? 'the first recall' : 'that of the next process'}`,
          size,
          unit: 'ms',
          ours: median(times[which]),
          target:
            which === 'first' && isMade ? undefined : { atMost: size === LARGEST ? FIRST_OF_LARGEST_MS : FIRST_MS },
        }),
      )
    })
  })
}
