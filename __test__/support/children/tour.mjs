// Calls every function of the package once, and tells what came of it and which doors to the network were tried.

import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { tried } from './doors.mjs'

const memory = createRequire(import.meta.url)('../../../index.js')
const { project, isNosy } = JSON.parse(process.argv[2])
const options = { projectDir: project }
const person = { ...options, author: 'person' }
const body = 'Gate needs --runInBand on Windows'
const thought = memory.captureMemory({ type: 'lesson', body, tool: 'forge_sweep' }, options).thought
const calls = {
  captureMemory: () => memory.captureMemory({ type: 'lesson', body }, options).deduped,
  memorySave: () => memory.memorySave({ pattern: body, category: 'convention' }, options).status,
  recall: () => memory.recall('windows', options).hits.length,
  memoryRecall: () => memory.memoryRecall({ query: 'windows' }, options).matches.length,
  listMemories: () => memory.listMemories(options).total,
  sessionNotes: () => memory.sessionNotes(null, options).length,
  promptNotes: () => memory.promptNotes('gate windows', options).length,
  showMemory: () => memory.showMemory(thought.id, options).confirmations,
  editMemory: () => memory.editMemory(thought.id, { body: 'Gate needs --maxWorkers=1' }, options).type,
  forget: () => memory.forget(thought.id, options).removed,
  buildMemoryReport: () => memory.buildMemoryReport(options).queue.pending,
  buildCaptureTelemetry: () => memory.buildCaptureTelemetry(options).total,
  memoryStatus: () => memory.memoryStatus(options).counts.memories,
  diagnose: () => memory.diagnose(options).some(({ severity }) => severity === 'problem'),
  settleIndex: () => memory.settleIndex(options) ?? 'done',
  findProject: () => memory.findProject(options) === project,
  memoryDir: () => memory.memoryDir(options) === project,
  projectAt: () => memory.projectAt(project).found,
  projectNames: () => memory.projectNames(options)[0].split('/').at(-1),
  validateSourceFormat: () => memory.validateSourceFormat('a/b').valid,
  stampThoughtExpiry: () => memory.stampThoughtExpiry({ type: 'lesson' }, { now: 0 }).expiresAt,
  filterUnexpiredThoughts: () => memory.filterUnexpiredThoughts([{}]).length,
  buildCacheEntry: () => memory.buildCacheEntry({ key: 'k', query: 'q', project: 'p', limit: 1, results: [] }).ttlMs,
  isCacheEntryFresh: () => memory.isCacheEntryFresh({ cachedAt: new Date().toISOString() }),
  ralphAdd: () => memory.ralphAdd({ lesson: body }, options).added,
  ralphList: () => memory.ralphList(options).entries.length,
  ralphQuery: () => memory.ralphQuery('windows', options).total,
  ralphClear: () => memory.ralphClear(options).deleted,
  queueStatus: () => memory.queueStatus(options).deadLetters,
  queueAgain: () => memory.queueAgain(undefined, options).deletes,
  countAgain: () => memory.countAgain(undefined, options).deletes,
  listDeadLetters: () => memory.listDeadLetters(options).length,
  retryDeadLetters: () => memory.retryDeadLetters(null, options).retried,
  dropDeadLetters: () => memory.dropDeadLetters(['none'], options).dropped,
  OpenBrainDrain: () => memory.OpenBrainDrain.open(options).close() ?? 'closed',
  EmbeddedStore: () => memory.EmbeddedStore.open().close() ?? 'closed',
}
/** What comes of these is other tests' matter; here they are only called, the last ones last. */
const line = memory.showMemory(thought.id, options).record
const more = {
  cleanText: () => memory.cleanText(body),
  isOwnTerminal: () => memory.isOwnTerminal(),
  findRelatedAmong: () => memory.findRelatedAmong(body, [body, 'Something else'], options),
  holdRecords: () => memory.holdRecords([], options),
  receiveDecisions: () => memory.receiveDecisions([], options),
  recallReplica: () => memory.recallReplica(body, 5, options),
  queueOwnAgain: () => memory.queueOwnAgain(options),
  importShared: () => memory.importShared(line, { ...options, dryRun: true }),
  frameNotes: () => memory.frameNotes([body]),
  endOnInterrupt: () => memory.endOnInterrupt('interrupted'),
  countTranscripts: () => memory.countTranscripts(),
  dropFramedNotes: () => memory.dropFramedNotes(body),
  syncMemories: () => memory.syncMemories({ ...options, dryRun: true }),
  countMemories: () => memory.countMemories('tag', options),
  searchStamp: () => memory.searchStamp(options),
  findCachedSearch: () => memory.findCachedSearch({ query: 'q', limit: 1, place: 'here', stamp: 's' }, options),
  keepCachedSearch: () => {
    const entry = memory.buildCacheEntry({ key: 'k', query: 'q', project: 'p', limit: 1, results: [] })
    memory.keepCachedSearch(entry, 'here', memory.searchStamp(options), options)
  },
  modelStatus: () => memory.modelStatus(),
  listModels: () => memory.listModels(),
  useModel: () => memory.useModel.name,
  ModelInstallation: () => memory.ModelInstallation.name,
  LocalEmbedder: () => memory.LocalEmbedder.name,
  EventTail: () => memory.EventTail.name,
  ProjectDuty: () => memory.ProjectDuty.name,
  isDutyTaken: () => memory.isDutyTaken('watcher', options),
  writeServerPorts: () =>
    memory.writeServerPorts({ ws: 1, http: 1, pid: 1, startedAt: new Date().toISOString(), token: 'token' }, options),
  removeServerPorts: () => memory.removeServerPorts(options),
  publishEvents: () => memory.publishEvents(['{"type":"run-started"}'], options),
  listDrains: () => memory.listDrains(options),
  measureHallmarks: () => memory.measureHallmarks(options),
  buildCaptureSeries: () => memory.buildCaptureSeries(options),
  checkHallmark: () => memory.checkHallmark(line),
  verifyHallmark: () => memory.verifyHallmark(line, options),
  hallmarkProblems: () => memory.hallmarkProblems('{}'),
  buildHallmark: () => memory.buildHallmark({ toolName: 'forge_sweep' }),
  keepMemory: () =>
    memory.keepMemory(
      memory.captureMemory({ type: 'decision', body: 'The API listens on port 8080' }, options).id,
      options,
    ),
  listConflicts: () => memory.listConflicts(options),
  resolveConflict: () => {
    const said = memory.captureMemory(
      { type: 'decision', body: 'The gateway listens on port 8080' },
      { ...options, author: 'person' },
    )
    const { id } = memory.captureMemory({ type: 'decision', body: 'The gateway listens on port 9090' }, options)
    memory.resolveConflict({ id, with: said.id, holds: 'older' }, options)
  },
  findRelated: () => memory.findRelated('Releases happen on Thursday', options),
  replaceMemory: () => {
    const { id } = memory.captureMemory({ type: 'decision', body: 'The wiki has the runbook' }, options)
    memory.replaceMemory({ old: id }, options)
  },
  listRetired: () => memory.listRetired(options),
  listReview: () => memory.listReview(options),
  rateMemory: () => {
    const { id } = memory.captureMemory({ type: 'decision', body: 'Ann signs the releases' }, options)
    memory.rateMemory(id, 'useful', { ...options, session: 'tour:1' })
  },
  acceptMemory: () =>
    memory.acceptMemory(memory.captureMemory({ type: 'decision', body: 'Bob owns the build' }, options).id, person),
  rejectMemory: () =>
    memory.rejectMemory(memory.captureMemory({ type: 'decision', body: 'Nobody owns it' }, options).id, person),
  reopenMemory: () => {
    const reviewed = { projectDir: join(project, 'reviewed'), author: 'person' }
    mkdirSync(reviewed.projectDir)
    writeFileSync(join(reviewed.projectDir, '.forge.json'), '{"review": "all"}')
    const { id } = memory.captureMemory({ type: 'decision', body: 'Eve owns the runbook' }, reviewed)
    memory.rejectMemory(id, reviewed)
    memory.reopenMemory(id, reviewed)
  },
  keepGitPast: () => memory.keepGitPast(Buffer.from(''), true, options),
  keywordMap: () => memory.keywordMap(options),
  textWords: () => memory.textWords(body),
  retryDelay: () => memory.retryDelay('gate', 1),
  verifyMemory: () => memory.verifyMemory(options),
  hasLost: () => memory.hasLost(options),
  listLost: () => memory.listLost(options),
  restoreLost: () => memory.restoreLost(options),
  auditMemory: () => memory.auditMemory(options),
  redactMemory: () => memory.redactMemory(options),
  healMemory: () => memory.healMemory(options),
  migrateMemory: () => memory.migrateMemory(options),
  compactMemory: () => memory.compactMemory(options),
  exportMemory: () => memory.exportMemory(options),
  importMemory: () => {
    writeFileSync(join(project, 'import.jsonl'), '')
    memory.importMemory(join(project, 'import.jsonl'), { ...options, dryRun: true })
  },
  mergeJournals: () => memory.mergeJournals(Buffer.from(''), Buffer.from(''), Buffer.from('')),
  workProgress: () => memory.workProgress(options),
  answerHints: () => memory.answerHints([{ query: 'windows', limit: 1 }], options),
  composePreload: () => memory.composePreload('plan', []),
  buildPlanBootContext: () => memory.buildPlanBootContext('plan', 'project', options),
  buildWatcherSearchPrompt: () =>
    memory.buildWatcherSearchPrompt({ rule: 'r', event: 'change', path: 'a.js' }, 'project'),
  latticeIndex: () => memory.latticeIndex(options),
  latticeStat: () => memory.latticeStat(options),
  latticeQuery: () => memory.latticeQuery({ ...options, query: 'windows' }),
  latticeWords: () => memory.latticeWords('windowsGate'),
  latticeCallers: () => memory.latticeCallers({ ...options, name: 'gate' }),
  latticeCallees: () => memory.latticeCallees({ ...options, name: 'gate' }),
  latticeBlast: () => memory.latticeBlast({ ...options, name: 'gate' }),
  scoreChunk: () => memory.scoreChunk('gate', { name: 'gate' }),
  foreignRecords: () => memory.foreignRecords(options),
  trustForeignRecords: () => memory.trustForeignRecords(options),
  redactSecrets: () => memory.redactSecrets(body),
  isReaderGone: () => memory.isReaderGone(1),
  PathPatterns: () => memory.PathPatterns.name,
  IgnoredPaths: () => memory.IgnoredPaths.name,
  passagesOf: () => memory.passagesOf('jest needs a gate'),
  fuseScores: () => memory.fuseScores('gate', 'local:all-MiniLM-L6-v2', [{ words: 1, cosine: 0.5 }]),
  placesAmong: () => memory.placesAmong('gate', [{ text: 'Deprecated: the gate', score: 1 }]),
  // The library calls it when it is loaded.
  provideAddons: () => typeof memory.provideAddons,
  // Without a model it is refused, later.
  embedMemories: () => memory.embedMemories(options).catch(String),
  backfill: () => memory.backfill(options),
  learnFromSession: () => memory.learnFromSession('nothing', options),
  searchSessions: () => memory.searchSessions('windows', { ...options, updateMs: 0 }),
  forgetSessions: () => memory.forgetSessions({ ...options, project: true }),
  sessionIndexStatus: () => memory.sessionIndexStatus(options),
  runHook: () => memory.runHook('PreToolUse', JSON.stringify({ cwd: project })),
  hookEvents: () => memory.hookEvents(),
  hookProgram: () => memory.hookProgram(),
  keepReplica: () => memory.keepReplica({ state: 'a state', records: [] }, options),
  replicaState: () => memory.replicaState(options),
  hookSwitches: () => memory.hookSwitches(options),
  hookFaults: () => memory.hookFaults(1000, options),
  noteStats: () => memory.noteStats(options),
  agentStanding: () => memory.agentStanding(options),
  pauseMemory: () => memory.pauseMemory({ ...options, forMs: 1000 }),
  resumeMemory: () => memory.resumeMemory(options),
  layeredSettings: () => memory.layeredSettings([{ redact: false }, { redact: true }]),
  projectSettings: () => memory.projectSettings(options),
  packageTags: () => memory.packageTags(options),
  pathWithin: () => memory.pathWithin('a.js', project, options),
  recallHere: () => memory.recallHere('windows', options),
  memoryRecallHere: () => memory.memoryRecallHere({ query: 'windows' }, options),
  // It reads standard input, and its deadline ends the process.
  answerHook: () => typeof memory.answerHook,
  endProcess: () => typeof memory.endProcess,
}
const answers = Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, call()]))
const failed = []
for (const [name, call] of Object.entries(more)) {
  try {
    await call()
  } catch (error) {
    failed.push(`${name}: ${error.message}`)
  }
}
if (isNosy) {
  try {
    await fetch('http://127.0.0.1:9')
  } catch {
    // Only that it was tried is of interest.
  }
}
const functions = Object.keys(memory).filter((name) => typeof memory[name] === 'function')
const notCalled = functions.filter((name) => !(name in calls || name in more))
console.log(JSON.stringify({ answers, tried, failed, notCalled }))
