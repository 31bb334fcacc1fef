// Calls every function of the package once, and tells what came of it and which doors to the network were tried.

import dgram from 'node:dgram'
import dns from 'node:dns'
import { createRequire } from 'node:module'
import net from 'node:net'

const tried = []
for (const [object, name] of [
  [net.Socket.prototype, 'connect'],
  [net.Server.prototype, 'listen'],
  [dgram, 'createSocket'],
  [dns, 'lookup'],
  [globalThis, 'fetch'],
]) {
  object[name] = () => {
    tried.push(name)
    throw new Error(`${name} was tried`)
  }
}

const memory = createRequire(import.meta.url)('../../../index.js')
const { project, isNosy } = JSON.parse(process.argv[2])
const options = { projectDir: project }
const body = 'Gate needs --runInBand on Windows'
const thought = memory.captureMemory({ type: 'lesson', body, tool: 'forge_sweep' }, options).thought
const calls = {
  captureMemory: () => memory.captureMemory({ type: 'lesson', body }, options).deduped,
  memorySave: () => memory.memorySave({ pattern: body, category: 'convention' }, options).status,
  recall: () => memory.recall('windows', options).hits.length,
  memoryRecall: () => memory.memoryRecall({ query: 'windows' }, options).matches.length,
  listMemories: () => memory.listMemories(options).total,
  showMemory: () => memory.showMemory(thought.id, options).confirmations,
  editMemory: () => memory.editMemory(thought.id, { body: 'Gate needs --maxWorkers=1' }, options).type,
  forget: () => memory.forget(thought.id, options).removed,
  buildMemoryReport: () => memory.buildMemoryReport(options).queue.pending,
  buildCaptureTelemetry: () => memory.buildCaptureTelemetry(options).total,
  memoryStatus: () => memory.memoryStatus(options).memories,
  diagnose: () => memory.diagnose(options).some(({ severity }) => severity === 'problem'),
  settleIndex: () => memory.settleIndex(options) ?? 'done',
  findProject: () => memory.findProject(options) === project,
  validateSourceFormat: () => memory.validateSourceFormat('a/b').valid,
  stampThoughtExpiry: () => memory.stampThoughtExpiry({ type: 'lesson' }, { now: 0 }).expiresAt,
  filterUnexpiredThoughts: () => memory.filterUnexpiredThoughts([{}]).length,
  buildCacheEntry: () => memory.buildCacheEntry({ key: 'k', query: 'q', project: 'p', limit: 1, results: [] }).ttlMs,
  isCacheEntryFresh: () => memory.isCacheEntryFresh({ cachedAt: new Date().toISOString() }),
  ralphAdd: () => memory.ralphAdd({ lesson: body }, options).added,
  ralphList: () => memory.ralphList(options).entries.length,
  ralphQuery: () => memory.ralphQuery('windows', options).total,
  ralphPage: () => memory.ralphPage('list', options).warnings.length,
  ralphClear: () => memory.ralphClear(options).deleted,
  queueStatus: () => memory.queueStatus(options).deadLetters,
  listDeadLetters: () => memory.listDeadLetters(options).length,
  retryDeadLetters: () => memory.retryDeadLetters(null, options).retried,
  dropDeadLetters: () => memory.dropDeadLetters(['none'], options).dropped,
  OpenBrainDrain: () => memory.OpenBrainDrain.open(options).close() ?? 'closed',
  EmbeddedStore: () => memory.EmbeddedStore.open().close() ?? 'closed',
}
const answers = Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, call()]))
if (isNosy) {
  try {
    await fetch('http://127.0.0.1:9')
  } catch {
    // Only that it was tried is of interest.
  }
}
const functions = Object.keys(memory).filter((name) => typeof memory[name] === 'function')
console.log(JSON.stringify({ answers, tried, notCalled: functions.filter((name) => !(name in calls)) }))
