// The first calls of a process that finds no index folder: everything is built from the raw log.
import { measureCall } from '../harness/statistics.mjs'
import { captureOf, input, loadAddon, report } from './process.mjs'

const { captureMemory, recall, settleIndex } = loadAddon()
const options = { projectDir: input.dir }
const capture = captureOf({
  type: 'lesson',
  content: `The index of round ${input.round} was deleted and is built again.`,
})
const { wallUs, cpuUs } = measureCall(() => {
  captureMemory(capture, options)
  recall('index deleted', options)
  settleIndex(options)
})
report({ wallMs: wallUs / 1e3, cpuMs: cpuUs / 1e3 })
