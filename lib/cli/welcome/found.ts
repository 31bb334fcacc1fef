// The findings of a first look, which reads names and sizes, and writes nothing.
import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { findTraces, HOSTS, shownPath } from '../../init/index.js'
import { countTranscripts, findProject, memoryDir, memoryStatus, type RecordCounts } from '../../native.js'
import { messageOf } from '../../shared/problem.js'
import { countRetiredLately } from '../retired.js'

/** The findings on this machine and in this project. */
export interface Found {
  project: string
  isGit: boolean
  /** The number of records, or why they cannot be read; absent when there are none and the project has no memory. */
  counts?: RecordCounts | string
  /** How many memories agents have retired lately, when some were. */
  retired?: number
  /** The agents, and the trace by which each was found. */
  agents: { title: string; by: string }[]
  /** Files with past sessions, by agent, or why they cannot be counted. */
  transcripts: { title: string; files: number }[] | string
}

export function lookAround(): Found {
  const projectDir = findProject()
  const counts = countsIn(projectDir)
  return {
    project: shownPath(projectDir),
    isGit: existsSync(join(projectDir, '.git')),
    ...(counts === undefined ? {} : { counts, ...retiredIn(projectDir, counts) }),
    agents: findTraces(projectDir).map(({ agent, by }) => ({ title: HOSTS[agent].title, by })),
    transcripts: orReason(() => countTranscripts().map(({ title, files }) => ({ title, files }))),
  }
}

function countsIn(projectDir: string): RecordCounts | string | undefined {
  const counts = orReason(() => countedIn(projectDir))
  const isEmpty = typeof counts !== 'string' && counts.memories === 0
  const hasNone = () => lstatSync(join(memoryDir({ projectDir }), '.forge'), { throwIfNoEntry: false }) === undefined
  return isEmpty && hasNone() ? undefined : counts
}

/** A file that cannot be read is an error here: a number without its records would be wrong. */
function countedIn(projectDir: string): RecordCounts {
  const { counts, unreadable } = memoryStatus({ projectDir })
  if (unreadable[0] !== undefined) throw new Error(unreadable[0])
  return counts
}

function retiredIn(projectDir: string, counts: RecordCounts | string): { retired?: number } {
  const count = typeof counts !== 'string' && counts.retired > 0 ? countRetiredLately({ projectDir }) : 0
  return count === 0 ? {} : { retired: count }
}

/** A first look shows as much as it can: a failure is told in place of the result. */
function orReason<T>(look: () => T): T | string {
  try {
    return look()
  } catch (error) {
    return messageOf(error)
  }
}
