/**
 * The parts that only this package and programs built closely upon it need: the plumbing of hooks, of the drain and of servers. Unlike the main
 * entry, it may change in any release.
 */

export type * from './native.js'
export {
  agentStanding,
  answerHints,
  answerHook,
  composePreload,
  countAgain,
  endOnInterrupt,
  endProcess,
  findCachedSearch,
  findRelatedAmong,
  fuseScores,
  holdRecords,
  hookEvents,
  hookFaults,
  hookProgram,
  hookSwitches,
  IgnoredPaths,
  importShared,
  isDutyTaken,
  isReaderGone,
  keepCachedSearch,
  latticeWords,
  layeredSettings,
  learnFromSession,
  memoryRecallHere,
  OpenBrainDrain,
  PathPatterns,
  ProjectDuty,
  packageTags,
  pathWithin,
  projectSettings,
  queueOwnAgain,
  recallHere,
  removeServerPorts,
  runHook,
  searchStamp,
  writeServerPorts,
} from './native.js'
