// Publishes and captures until it is killed, and prints every event that was acknowledged.
import { writeSync } from 'node:fs'
import { captureMemory, publishEvents } from '../../../index.js'

const [projectDir, writer, padding = '0'] = process.argv.slice(2)
const text = 'x'.repeat(Number(padding))
const options = { projectDir }

for (let n = 0; ; n += 1) {
  if (n % 10 === 9) {
    captureMemory({ type: 'note', body: `w${writer}n${n}q ${Math.random().toString(36)}`, tool: 'publisher' }, options)
  } else {
    publishEvents([JSON.stringify({ type: 'noted', writer, n, ...(text && { text }) })], options)
    writeSync(1, `${n}\n`)
  }
}
