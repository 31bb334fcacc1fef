// The reference for capturing: Node appends one line of the same length to one file.
import { appendFileSync } from 'node:fs'
import { makeCacheWalk } from '../harness/cold.mjs'
import { measureCall, summarize } from '../harness/statistics.mjs'
import { input, report } from './process.mjs'

const WARM_UP = 50

const line = `${'x'.repeat(input.bytes - 1)}\n`
for (let call = 0; call < WARM_UP; call++) appendFileSync(input.file, line)
const walk = input.between ? makeCacheWalk() : () => {}
const times = []
for (let call = 0; call < input.count; call++) {
  walk()
  times.push(measureCall(() => appendFileSync(input.file, line)))
}
report(summarize(times))
