// Uses the library under a debugger, and reports every script that is compiled without a file.
import { Session } from 'node:inspector'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const projectDir = process.argv[2]
const compiled = []
const session = new Session()
session.connect()
session.on('Debugger.scriptParsed', ({ params: { url, scriptId } }) => {
  if (url.startsWith('file:') || url.startsWith('node:') || url.startsWith('/')) return
  session.post('Debugger.getScriptSource', { scriptId }, (_, result) => compiled.push(result?.scriptSource ?? url))
})
session.post('Debugger.enable')

const memory = { ...require('../../../dist/index.js'), ...require('../../../dist/internal.js') }
const options = { projectDir }
// A function that is worth compiling would be so on a later call, not on the first one.
for (let round = 0; round < 5; round += 1) {
  const { id } = memory.captureMemory(
    { type: 'lesson', body: `Lesson ${round}: close the pool number ${round * 7919} last.`, tags: ['pool'] },
    options,
  )
  memory.memorySave({ pattern: `Pattern ${round * 104729}`, category: 'convention' }, options)
  memory.recall('pool', { ...options, limit: 5 })
  memory.memoryRecall({ query: 'pool' }, options)
  memory.listMemories(options)
  memory.showMemory(id, options)
  memory.editMemory(id, { body: `Lesson ${round}: close the pool number ${round * 7919} first.` }, options)
  memory.buildMemoryReport(options)
  memory.buildCaptureTelemetry(options)
  memory.buildCaptureSeries(options)
  memory.memoryStatus(options)
  memory.diagnose(options)
  memory.verifyMemory(options)
  memory.ralphAdd({ lesson: `Loop ${round * 15485863}` }, options)
  memory.ralphList(options)
  memory.latticeStat(options)
  await memory.measureHallmarks(options)
  const drain = memory.OpenBrainDrain.open(options)
  await drain.lease(10)
  drain.close()
  try {
    memory.captureMemory({ type: 'lesson' }, options)
  } catch {}
}
const listened = new Promise((resolve) => session.post('Debugger.getStackTrace', {}, resolve))
await listened
const before = compiled.length
// The spy must be able to see one.
require('node:vm').runInThisContext('(() => "compiled by the test itself")')
process.stdout.write(JSON.stringify({ compiled: compiled.slice(0, before), isSeen: compiled.length > before }))
