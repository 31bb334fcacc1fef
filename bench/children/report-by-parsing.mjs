// The reference for the report: Node reads every file of the memory and parses every line, as a tool without counters does.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { measureCall } from '../harness/statistics.mjs'
import { input, report } from './process.mjs'

const folders = [join(input.dir, '.forge'), join(input.dir, '.forge', 'telemetry')]

function countRecords() {
  let records = 0
  for (const folder of folders) {
    for (const name of readdirSync(folder).filter((name) => name.endsWith('.jsonl'))) {
      for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) {
        if (line) records += JSON.parse(line) === null ? 0 : 1
      }
    }
  }
  return records
}

let records
const { wallUs } = measureCall(() => {
  records = countRecords()
})
report({ wallMs: wallUs / 1e3, records })
