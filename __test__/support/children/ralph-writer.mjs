// Adds to a loop's memory, and clears some of it, until it is killed. A line on standard output follows each call.
import { writeSync } from 'node:fs'
import { ralphAdd, ralphClear } from '../../../index.js'
import { sentenceOf } from '../memory.mjs'

const [project, from] = [process.argv[2], Number(process.argv[3])]
const options = { projectDir: project }

for (let number = from; ; number++) {
  const loopId = number % 5 === 0 ? `gone-${from}` : 'kept'
  const { id } = ralphAdd({ lesson: sentenceOf(number), loopId }, options)
  writeSync(1, `${loopId} ${id}\n`)
  if (number % 10 === 0) ralphClear({ ...options, loopId: `gone-${from}` })
}
