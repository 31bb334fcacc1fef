// The floor for a drain in Node: read the queue, parse every line, write it again as delivered.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measureCall } from '../harness/statistics.mjs'
import { input, report } from './process.mjs'

const queue = join(input.dir, '.forge', 'openbrain-queue.jsonl')
const archive = join(input.dir, '.forge', 'by-node.jsonl')

const { wallUs, cpuUs } = measureCall(() => {
  const records = readFileSync(queue, 'utf8').split('\n').filter(Boolean).map(JSON.parse)
  const rows = records.map((record) =>
    JSON.stringify({ ...record, _status: 'delivered', _deliveredAt: record._enqueuedAt }),
  )
  appendFileSync(archive, `${rows.join('\n')}\n`)
  writeFileSync(queue, '')
})
report({ wallMs: wallUs / 1e3, cpuMs: cpuUs / 1e3 })
