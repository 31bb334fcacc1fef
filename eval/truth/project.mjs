// A memory in a folder of its own for each question, with the library as users have it.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MANY = 200

/** Makes the folder that all projects of a run are in, and keeps the user's own memory out of it. */
export function openWorkshop() {
  const folder = mkdtempSync(join(tmpdir(), 'forge-memory-truth-'))
  process.env.FORGE_HOME = join(folder, 'home')
  return { folder, close: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Loads the library; the workshop has to be open, because the user's folder is read from the environment. */
export async function loadLibrary() {
  const { default: library } = await import('../../dist/index.js')
  return library
}

/** One project: captures, questions, branches. */
export class Project {
  constructor(library, folder) {
    this.library = library
    this.folder = folder
    // Branches are clones of one repository: its address is the name of the project.
    mkdirSync(join(folder, '.git'), { recursive: true })
    writeFileSync(join(folder, '.git', 'HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(join(folder, '.git', 'config'), '[remote "origin"]\n\turl = https://example.org/eval/project.git\n')
  }

  capture(fields) {
    awaitNextMillisecond()
    return this.library.captureMemory(fields, { projectDir: this.folder })
  }

  /** Retires records by another one, as the answer to an offer does. */
  replace(old, by) {
    if (old.length > 0) this.library.replaceMemory({ old, by }, { projectDir: this.folder })
  }

  recall(query, limit = MANY) {
    return this.library.recall(query, { projectDir: this.folder, scope: 'project', limit }).hits
  }

  /** Tells whether a record is answered to a question in its own words. */
  isCurrent(id, text) {
    return this.recall(text).some((hit) => hit.id === id && !isRetired(hit))
  }

  /** The undecided conflicts. */
  conflicts() {
    return this.library.listConflicts({ projectDir: this.folder })
  }

  /** Starts a branch: a copy of the project's files in another folder. */
  fork(folder) {
    cpSync(this.folder, folder, { recursive: true })
    const branch = new Project(this.library, folder)
    branch.base = this.journal()
    return branch
  }

  /** Merges a branch of this project into it, as the merge driver does. */
  merge(branch) {
    const { bytes } = this.library.mergeJournals(branch.base, this.journal(), branch.journal())
    writeFileSync(this.path(), bytes)
  }

  journal() {
    return readFileSync(this.path())
  }

  path() {
    return join(this.folder, '.forge', 'memory-captures.jsonl')
  }
}

/** The ids that an answer names: a list of ids, or of objects that have one. */
export function idsIn(list) {
  return (list ?? []).map((item) => (typeof item === 'string' ? item : item.id))
}

/** The rule by which an answer retires or contradicts a record, when it tells. */
export function ruleOf(list, id) {
  const item = (list ?? []).find((item) => typeof item === 'object' && item.id === id)
  return item?.rule
}

/** Returns whether a hit names a record that contradicts it. */
export function isContradicted(hit) {
  return has(hit.contradictedBy)
}

/**
 * Returns whether an answer presents a hit as current. It does not when the hit is marked as contradicted, or as possibly outdated, by a
 * newer record that comes before it in the same answer.
 */
export function isAsCurrent(hit, hits) {
  const before = hits.slice(0, hits.indexOf(hit))
  const isNewer = ({ id, createdAt }) => createdAt > hit.createdAt && before.some((other) => other.id === id)
  const marks = [...(hit.contradictedBy ?? []), ...(hit.possiblyOutdatedBy ? [hit.possiblyOutdatedBy] : [])]
  return !isRetired(hit) && !marks.some(isNewer)
}

function isRetired(hit) {
  return has(hit.retired) || has(hit.retiredBy) || has(hit.supersededBy)
}

function has(value) {
  return Array.isArray(value) ? value.length > 0 : Boolean(value)
}

/** Records of one millisecond have no order between branches. */
function awaitNextMillisecond() {
  const start = Date.now()
  while (Date.now() === start);
}
