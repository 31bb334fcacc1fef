// The reference for the report: Node reads every file of the memory and parses every line, as a tool without counters does.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { measureCall } from '../harness/statistics.mjs'
import { input, report } from './process.mjs'

const folders = [join(input.dir, '.forge'), join(input.dir, '.forge', 'telemetry')]

const NEWLINE = 10

/** The lines of a file that may be larger than the longest string. */
function* linesOf(path) {
  const bytes = readFileSync(path)
  let start = 0
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    yield bytes.toString('utf8', start, end)
    start = end + 1
  }
}

function countRecords() {
  let records = 0
  for (const folder of folders) {
    for (const name of readdirSync(folder).filter((name) => name.endsWith('.jsonl'))) {
      for (const line of linesOf(join(folder, name))) {
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
