// What a first look finds: it reads names and sizes, and writes nothing.
import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { findTraces, HOSTS, shownPath } from '../../init/index.js'
import { countTranscripts, findProject, listMemories, memoryDir } from '../../native.js'
import { messageOf } from '../../shared/problem.js'
import { countRetiredLately } from '../retired.js'

/** What was found on this machine and in this project. */
export interface Found {
  project: string
  isGit: boolean
  /** The number of records, or why they cannot be read; absent when the project has no memory. */
  memories?: number | string
  /** How many memories agents have retired lately, when some were. */
  retired?: number
  /** The agents, and by what each was found. */
  agents: { title: string; by: string }[]
  /** Files with past sessions, by agent, or why they cannot be counted. */
  transcripts: { title: string; files: number }[] | string
}

export function lookAround(): Found {
  const projectDir = findProject()
  const memories = memoriesIn(projectDir)
  return {
    project: shownPath(projectDir),
    isGit: existsSync(join(projectDir, '.git')),
    ...(memories === undefined ? {} : { memories, ...retiredIn(projectDir, memories) }),
    agents: findTraces(projectDir).map(({ agent, by }) => ({ title: HOSTS[agent].title, by })),
    transcripts: orReason(() => countTranscripts().map(({ title, files }) => ({ title, files }))),
  }
}

function memoriesIn(projectDir: string): number | string | undefined {
  if (lstatSync(join(memoryDir({ projectDir }), '.forge'), { throwIfNoEntry: false }) === undefined) return undefined
  const options = { projectDir, scope: 'project', limit: 1, includeProposed: true, includeExpired: true } as const
  return orReason(() => listMemories(options).total)
}

function retiredIn(projectDir: string, memories: number | string): { retired?: number } {
  const count = typeof memories === 'number' && memories > 0 ? countRetiredLately({ projectDir }) : 0
  return count === 0 ? {} : { retired: count }
}

/** A first look shows what it can: what fails is told instead of the result. */
function orReason<T>(look: () => T): T | string {
  try {
    return look()
  } catch (error) {
    return messageOf(error)
  }
}
