// Calls everything that only reads, where nothing can be written, and tells what was answered.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as memory from '../../../index.js'

const { project, query, id, user } = JSON.parse(process.argv[2])
if (user !== undefined) process.setuid(user)

/** The code of the error with which this process cannot write. */
function refusal() {
  try {
    writeFileSync(join(project, 'probe'), '')
    return 'none'
  } catch (error) {
    return error.code
  }
}

const options = { projectDir: project }
const answers = {
  recall: memory.recall(query, options),
  expired: memory.recall(query, { ...options, includeExpired: true }).hits.length,
  past: memory.recall(query, { ...options, at: '2000-01-01' }).hits.length,
  text: memory.memoryRecall({ query }, options).text,
  list: memory.listMemories(options),
  shown: id && memory.showMemory(id, options),
  totals: memory.buildCaptureTelemetry(options),
}
const { files, orphans } = memory.buildMemoryReport(options)
const { counts } = memory.memoryStatus(options)
memory.diagnose(options)
console.log(JSON.stringify({ refusal: refusal(), answers: { ...answers, files, orphans, counts } }))
