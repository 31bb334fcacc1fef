// The package itself, through the functions that people call: `recall` over captures in files, `searchThoughts` over the store
// of the user.
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { makeProject, positionOf, thoughtId, writeStore } from '../../bench/data/store.mjs'
import { DEPTH } from '../quality.mjs'

const require = createRequire(import.meta.url)
const library = require('../../dist/index.js')
const { EmbeddedStore } = require('../../index.js')

const NEVER = '2099-01-01T00:00:00.000Z'
const PROJECT = 'bench'
const TOGETHER = 500
export const RECALL_MODES = ['words', 'meaning', 'auto']

/** Which modes this build of `recall` knows; one that ignores or refuses every mode knows none, and answers by words. */
export function recallModes(projectDir) {
  const knows = (mode) => {
    try {
      library.recall('anything', { projectDir, scope: 'project', limit: 1, mode })
      return true
    } catch {
      return false
    }
  }
  const hasModes = !knows('no such mode')
  return hasModes ? RECALL_MODES.filter(knows) : []
}

/**
 * Writes the documents as captures in a project of its own, in the order they stand in. Vectors of an earlier run stay: they are
 * kept by content.
 */
export function writeProject(set, work) {
  const projectDir = join(work, `project-${set.name}`)
  mkdirSync(join(projectDir, '.forge'), { recursive: true })
  const kept = join(projectDir, '.forge', 'index')
  for (const name of readdirSync(join(projectDir, '.forge'))) {
    if (name !== 'index') rmSync(join(projectDir, '.forge', name), { recursive: true, force: true })
  }
  for (const name of existsSync(kept) ? readdirSync(kept) : []) {
    if (!name.startsWith('vectors')) rmSync(join(kept, name), { recursive: true, force: true })
  }
  writeStore(
    projectDir,
    set.documents.map(({ text, type, tags, session }) => ({ type: type ?? 'pattern', content: text, tags, session })),
  )
  library.settleIndex({ projectDir })
  return projectDir
}

/**
 * Captures the documents one after the other, with their sessions, as agents do. A text that the memory takes for another one's repetition is
 * that other one; `documentOf` names the document that a hit is.
 */
export function captureProject(set, work) {
  const projectDir = join(work, `captured-${set.name}`)
  rmSync(projectDir, { recursive: true, force: true })
  makeProject(projectDir)
  const project = { projectDir, documents: new Map() }
  return { ...project, documentOf: captureMore(project, set.documents) }
}

/** Captures more documents, and returns what tells the document of a hit. */
export function captureMore({ projectDir, documents }, more) {
  for (const { id, text, type, tags, session } of more) {
    const fields = { tool: 'eval', type: type ?? 'pattern', body: text, tags, sessionId: session }
    const { thought } = library.captureMemory(withoutAbsent(fields), { projectDir })
    if (!documents.has(thought.id)) documents.set(thought.id, id)
  }
  library.settleIndex({ projectDir })
  return (id) => documents.get(id)
}

const withoutAbsent = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** Computes the vectors of a project, like `forge-memory embed`. */
export async function embedProject(projectDir, progress) {
  for (;;) {
    const { made, covered, total } = await library.embedMemories({ projectDir })
    progress(covered, total)
    if (made === 0 || covered >= total) return
  }
}

/** `recall`; without a mode it is what a call without options answers. */
export function byRecall(projectDir, documentOf, mode) {
  const options = { projectDir, scope: 'project', limit: DEPTH, ...(mode === undefined ? {} : { mode }) }
  return async (question) => {
    const { hits } = await library.recall(question, options)
    return { ids: hits.map(({ id }) => documentOf(id)), isWeak: hits[0]?.weak === true }
  }
}

/** Puts the documents into the user's store, with their vectors when there are any. `FORGE_HOME` names the home. */
export async function writeThoughts(set, vectors, model) {
  const home = process.env.FORGE_HOME
  mkdirSync(home, { recursive: true })
  const path = join(home, 'openbrain.db')
  for (const tail of ['', '-wal', '-shm']) rmSync(path + tail, { force: true })
  const store = EmbeddedStore.open(path)
  for (let from = 0; from < set.documents.length; from += TOGETHER) {
    const batch = set.documents.slice(from, from + TOGETHER)
    await store.put(batch.map((document, at) => thoughtOf(document, from + at, vectors, model)))
  }
  store.close()
}

function thoughtOf({ text, type, tags }, at, vectors, model) {
  const meaning = vectors === undefined ? {} : { vector: vectors.at(at), model }
  return {
    id: thoughtId(at),
    content: text,
    project: PROJECT,
    type: type ?? 'pattern',
    source: 'forge_bench/store',
    createdBy: 'forge-memory',
    capturedAt: new Date(Date.UTC(2025, 0, 1) + at * 1000).toISOString(),
    expiresAt: NEVER,
    tags: tags ?? [],
    confidence: 0.7,
    metadata: '{}',
    ...meaning,
  }
}

/** `searchThoughts` over what `writeThoughts` put there; `isSemantic` says whether meanings are to be compared. */
export function byThoughts(set, work, isSemantic) {
  const projectDir = join(work, `searching-${set.name}-${isSemantic ? 'fused' : 'words'}`)
  mkdirSync(join(projectDir, '.forge'), { recursive: true })
  const settings = { projectName: PROJECT, embedder: { kind: isSemantic ? 'local' : 'none' } }
  writeFileSync(join(projectDir, '.forge.json'), `${JSON.stringify(settings)}\n`)
  return async (question) => {
    const answer = await library.searchThoughts(question, { projectDir, limit: DEPTH })
    if (answer.backend !== 'embedded') throw new Error(`the files answered in place of the store: ${answer.message}`)
    if (answer.semantic !== isSemantic)
      throw new Error(`the store says semantic: ${answer.semantic}: ${answer.message}`)
    const ids = answer.thoughts.map(({ id }) => set.documents[positionOf(id)].id)
    return { ids, isWeak: answer.thoughts[0]?.weak === true }
  }
}

/** Links the model into the home folder of this run, so that the library uses it. */
export function lendModel(folder) {
  const name = basename(folder)
  const target = join(process.env.FORGE_HOME, 'models', name)
  if (!existsSync(target)) cpSync(folder, target, { recursive: true })
  library.useModel(name)
}
