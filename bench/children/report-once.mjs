// The memory report of a fresh process, and again in the same process.
import { measureCall, summarize } from '../harness/statistics.mjs'
import { input, loadAddon, report } from './process.mjs'

const REPEATS = 50

const { buildMemoryReport } = loadAddon()
const options = { projectDir: input.dir }
let built
const first = measureCall(() => {
  built = buildMemoryReport(options)
})
const again = summarize(Array.from({ length: REPEATS }, () => measureCall(() => buildMemoryReport(options))))
const records = built.files.reduce((sum, file) => sum + file.records, 0)
report({
  firstCpuMs: first.cpuUs / 1e3,
  firstWallMs: first.wallUs / 1e3,
  againCpuMs: again.typicalUs / 1e3,
  records,
  queued: built.queue.pending,
  captures: built.telemetry.total,
})
