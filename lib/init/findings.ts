// All checks of `doctor` about the memory of a project, its setup and its environment. They change nothing.

import { accessSync, constants, existsSync, lstatSync, readdirSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import {
  isStoreUsed,
  openBrainStatus,
  restoreFromStore,
  storeBacklog,
  untrustedOpenBrain,
} from '../api/shared-memory.js'
import {
  diagnose,
  EmbeddedStore,
  type Finding,
  findProject,
  hookFaults,
  hookSwitches,
  memoryDir,
  type ProjectOptions,
} from '../native.js'
import { PROJECT_FILE } from '../shared/declared-settings.js'
import { ELSEWHERE, isNewMemory } from '../shared/elsewhere.js'
import { hasCode, messageOf, rootCodeOf } from '../shared/problem.js'
import { git } from './git.js'
import { diagnoseSetup } from './health.js'

type Check = (project: ProjectOptions) => Finding[] | Promise<Finding[]>

/** Every check with its subject. */
const CHECKS: [string, Check][] = [
  ['the files', files],
  ['whether something can be stored', storing],
  ['what was approved', unapproved],
  ["the team's store", notJoined],
  ['the tables of the shared store', tables],
  ['the shared memory', damaged],
  ['what only the shared memory has', absent],
  ['git', inGit],
  ['the settings', switches],
  ['the calls of hooks', faultsOfHooks],
]

/** Checks the files, the queue, the shared store of this user, git and the hooks. `begins` is told the next subject. */
export async function findFaults(project: ProjectOptions, begins?: (what: string) => void): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [what, check] of CHECKS) {
    begins?.(what)
    findings.push(...(await check(project)))
  }
  return findings
}

/**
 * Checks the files. What git keeps is as open to others as the sources beside it, so a plain clone has no fault; a queue to a store that nobody uses
 * is not named.
 */
async function files(project: ProjectOptions): Promise<Finding[]> {
  const isShared = isStoreUsed(await openBrainStatus(project))
  const findings = diagnose(project).filter(({ code }) => isShared || code !== QUEUE)
  if (!findings.some(({ code }) => code === OPEN) || hasOpenFile(memoryDir(project))) return findings
  return findings.filter(({ code }) => code !== OPEN)
}

/** A record, its line for the queue, and the index need some room. */
const ROOM_BYTES_MIN = 64 << 10

/** Finds out whether something can be stored, by asking the system: nothing is written. */
function storing(project: ProjectOptions): Finding[] {
  const root = memoryDir(project)
  const [folder = root, log] = [join(root, '.forge'), join(root, '.forge', 'memory-captures.jsonl')].filter(existsSync)
  const finding = (code: string, why: string, hint: string): Finding[] => [
    { severity: 'problem', code, subject: '.forge', message: `nothing can be stored: ${why}`, hint },
  ]
  for (const path of [folder, ...(log === undefined ? [] : [log])]) {
    try {
      accessSync(path, constants.W_OK)
    } catch (error) {
      const why = `${path} cannot be written (${rootCodeOf(error)})`
      return finding('READ_ONLY', why, 'check who may write there, and how the disk is mounted')
    }
  }
  const { blocks, bavail, bsize } = statfsSync(folder)
  // A file system that counts no blocks says nothing of its room.
  if (blocks === 0 || bavail * bsize >= ROOM_BYTES_MIN) return []
  return finding('DISK_FULL', `the disk of ${folder} is full`, 'free some space on that disk; what was stored is safe')
}

const OPEN = 'OPEN_FOLDER'
const QUEUE = 'QUEUE'
const OTHERS_READ = 0o044

/** Whether others may read a file of the memory that git does not keep; also where git cannot say. */
function hasOpenFile(root: string): boolean {
  try {
    const kept = new Set(git(root, 'ls-files', '-z', '--', '.forge').split('\0'))
    const names = ['.forge', '.forge/memory'].flatMap((folder) => {
      const found = existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : []
      return found.filter((name) => name.endsWith('.jsonl')).map((name) => `${folder}/${name}`)
    })
    return names.some((name) => !kept.has(name) && (lstatSync(join(root, name)).mode & OTHERS_READ) !== 0)
  } catch {
    return true
  }
}

/** Captures are not delivered while the user has not approved the address of the store. */
async function unapproved(project: ProjectOptions): Promise<Finding[]> {
  const places = await untrustedOpenBrain(project)
  return places.map((place) => ({
    severity: 'warning',
    code: 'STORE_NOT_APPROVED',
    subject: PROJECT_FILE,
    message: `sends what is captured to ${place}, which is not approved on this machine; captures wait in the queue`,
    hint: 'forge-memory drain --trust approves it; "openbrain": {"url": "file"} keeps everything on this machine',
  }))
}

/** Tables of another version are neither read nor written. */
async function tables(project: ProjectOptions): Promise<Finding[]> {
  const { otherTables } = await import('../openbrain/client/set-up.js')
  const other = await otherTables(project)
  if (other === undefined) return []
  const [message = '', hint = ''] = other.problem.split(': ')
  return [{ severity: 'problem', code: 'STORE_VERSION', subject: other.place, message, hint }]
}

/** Records that an earlier store of the project took and the present one lacks. */
async function notJoined(project: ProjectOptions): Promise<Finding[]> {
  const backlog = await storeBacklog(project)
  if (backlog === undefined) return []
  return [
    {
      severity: 'warning',
      code: 'STORE_LACKS_RECORDS',
      subject: 'shared store',
      message: `it lacks ${backlog.records} ${backlog.records === 1 ? 'record' : 'records'} of this project that another store has`,
      hint: 'forge-memory drain --again sends them, each once',
    },
  ]
}

/** Checks the embedded store of this user: a damaged page would otherwise be noticed only when it is read. */
async function damaged(): Promise<Finding[]> {
  const store = EmbeddedStore.open()
  const finding = (message: string): Finding => ({
    severity: 'problem',
    code: 'DAMAGED_STORE',
    subject: store.path,
    message,
    hint: 'move the file and its -wal and -shm away, then forge-memory drain --again in every project',
  })
  try {
    return (await store.damage()).map((detail) => finding(`the shared memory is damaged: ${detail}`))
  } catch (error) {
    if (hasCode(error, 'CORRUPT')) return [finding(`the shared memory is damaged: ${messageOf(error)}`)]
    return hasCode(error, 'LOCKED') ? [locked(store.path, messageOf(error))] : []
  } finally {
    store.close()
  }
}

/** Finds records of this project and of the user that only the shared store has. */
async function absent(project: ProjectOptions): Promise<Finding[]> {
  if (!isNewMemory(project)) return []
  // A store that cannot be read has a finding of its own; without one that keeps records, there is none to bring back.
  const { imported, place } = await restoreFromStore({ ...project, dryRun: true }).catch(() => NOTHING)
  if (imported === 0) return []
  return [
    {
      severity: 'warning',
      code: 'ABSENT_RECORDS',
      subject: '.forge',
      message: ELSEWHERE.message(imported, place),
      hint: ELSEWHERE.hint,
    },
  ]
}

const NOTHING = { imported: 0, place: '' }

const locked = (path: string, problem: string): Finding => ({
  severity: 'warning',
  code: 'STORE_LOCKED',
  subject: path,
  message: `the shared memory cannot be read: ${problem}`,
  hint: 'end the program that holds it; on a file system without locks, set FORGE_HOME to a folder on another one',
})

/** Checks how git treats the memory on merge and commit. */
function inGit(project: ProjectOptions): Finding[] {
  return diagnoseSetup(findProject(project))
}

/** Finds environment variables and settings with an invalid value, which have no effect. */
function switches(project: ProjectOptions): Finding[] {
  return hookSwitches(project).problems.map((message) => ({
    severity: 'warning',
    code: 'CONFIG',
    subject: PROJECT_FILE,
    message,
    hint: 'correct the file; until then every hook is on',
  }))
}

/** How a call ends whose event no version of an agent has: a typing mistake in its settings. */
const NO_EVENT = 'not a known event'
const FAULTS_SHOWN_MS = 7 * 24 * 3600_000

/** Hook calls that failed in the last days. A failed hook does not stop the agent, so the user has not seen it. */
function faultsOfHooks(project: ProjectOptions): Finding[] {
  const faults = hookFaults(FAULTS_SHOWN_MS, project)
  if (faults === null) return []
  const { count, hook, host, message } = faults
  return [
    {
      severity: 'warning',
      code: 'HOOK_FAULTS',
      subject: `${hook} of ${host}`,
      message: `${count} ${count === 1 ? 'hook call' : 'hook calls'} did nothing in the last 7 days; the last one: ${message}`,
      hint: message.endsWith(NO_EVENT)
        ? `no event has the name ${hook}: forge-memory init writes the right ones into the settings of the agents`
        : 'the agent was not interrupted; forge-memory verify checks the files, and FORGE_MEMORY_HOOK_DEADLINE_MS gives hooks more time',
    },
  ]
}
