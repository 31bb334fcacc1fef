// The memory that a process holds after captures and recalls; without `dir`, what the same process holds that does neither.
import { readFileSync } from 'node:fs'
import { readLessons, readQueries } from '../data/dataset.mjs'
import { captureOf, input, loadAddon, report } from './process.mjs'

const queries = readQueries(input.queries)
const lessons = readLessons(input.fresh).slice(0, input.captures)

if (input.dir) {
  const { captureMemory, recall } = loadAddon()
  const options = { projectDir: input.dir }
  for (const lesson of lessons) captureMemory(captureOf(lesson), options)
  for (const { text } of queries) recall(text, options)
}
globalThis.gc()
report({ rssMiB: process.memoryUsage().rss / 2 ** 20, anonymousMiB: anonymousMiB() })

/** The part that is not a mapped file, where the system tells it. */
function anonymousMiB() {
  if (process.platform !== 'linux') return undefined
  const match = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))
  return match ? Number(match[1]) / 1024 : undefined
}
