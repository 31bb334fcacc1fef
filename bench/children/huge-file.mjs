// Everything that touches the raw log, on one that no string of Node could hold.
import { input, loadAddon, report } from './process.mjs'

const { buildMemoryReport, captureMemory, listMemories, recall } = loadAddon()
const options = { projectDir: input.dir }
const capture = {
  tool: 'forge_bench',
  type: 'lesson',
  body: 'the raw log outgrew hippopotamus proportions and still works',
}
let id
const operations = {
  capture: () => {
    id = captureMemory(capture, options).id
    return typeof id === 'string'
  },
  'capture again': () => captureMemory(capture, options).duplicateOf === id,
  recall: () => recall('hippopotamus proportions', options).hits[0]?.id === id,
  list: () => listMemories({ ...options, limit: 1 }).entries[0]?.id === id,
  report: () => reportedRecords() >= input.expected,
}

function reportedRecords() {
  return buildMemoryReport(options).files.find((file) => file.name === 'memory-captures.jsonl')?.records ?? 0
}

const start = performance.now()
const failed = Object.keys(operations).filter((name) => !succeeds(operations[name]))
report({ failed, seconds: (performance.now() - start) / 1e3 })

function succeeds(operation) {
  try {
    return operation()
  } catch {
    return false
  }
}
