// Calls the functions of the library that touch files, one after the other, in some projects, and prints what became of each: a line for
// a project.
import { writeSync } from 'node:fs'
import * as memory from '../../../dist/index.js'

const options = {}
const calls = {
  captureMemory: () =>
    memory.captureMemory({ tool: 'forge_sweep', type: 'lesson', body: 'The gate needs Node 20' }, options),
  captureGotcha: () =>
    memory.captureMemory({ tool: 'forge_sweep', type: 'gotcha', body: 'Watch mode hangs in CI' }, options),
  memorySave: () =>
    memory.memorySave({ pattern: 'pnpm vitest --run', category: 'test_command', confidence: 0.9 }, options),
  recall: () => memory.recall('gate node', options),
  listMemories: () => memory.listMemories(options),
  forget: () => memory.forget('mem_00000000000000000000000000000000', options),
  buildMemoryReport: () => memory.buildMemoryReport(options),
  memoryStatus: () => memory.memoryStatus(options),
  diagnose: () => memory.diagnose(options),
  publishEvents: () => memory.publishEvents([{ type: 'run-started', data: { plan: { name: 'p' } } }], options),
  verifyMemory: () => memory.verifyMemory(options),
  migrateMemory: () => memory.migrateMemory({ ...options, dryRun: true }),
  compactMemory: () => memory.compactMemory(options),
  healMemory: () => memory.healMemory(options),
  exportMemory: () => memory.exportMemory({ ...options, format: 'jsonl' }),
  auditMemory: () => memory.auditMemory(options),
  ralphList: () => memory.ralphList(options),
  ralphAdd: () => memory.ralphAdd({ type: 'failure_pattern', loopId: 'a', content: 'Auth mocks go first' }, options),
  syncMemories: () => memory.syncMemories(options),
  sessionNotes: () => memory.sessionNotes(undefined, options),
  latticeIndex: () => memory.latticeIndex(options),
  latticeStat: () => memory.latticeStat(options),
  searchThoughts: () => memory.searchThoughts('gate', options),
  drainOpenBrain: () => memory.drainOpenBrain(options),
  openBrainStatus: () => memory.openBrainStatus(options),
  settleIndex: () => memory.settleIndex(options),
}
for (const { project, home } of JSON.parse(process.argv[2])) {
  process.env.FORGE_HOME = home
  options.projectDir = project
  const outcomes = {}
  for (const [name, call] of Object.entries(calls)) {
    try {
      outcomes[name] = { value: (await call()) ?? null }
    } catch (error) {
      outcomes[name] = { code: error.code ?? 'none', message: error.message }
    }
  }
  writeSync(1, `${JSON.stringify(outcomes)}\n`)
}
