// What the memories of this machine say of thoughts of a store: a decision that no drain has delivered yet holds here already.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { holdRecords, memoryDir, showMemory } from '../../native.js'
import { readConfinedText } from '../../shared/confined.js'
import { forgeHome } from '../../shared/home.js'
import { readPrivateMap } from '../../shared/private-file.js'
import { attempt } from '../../shared/problem.js'
import { recordLine } from '../record.js'
import type { ThoughtHit } from '../store.js'

/** True if a thought was deleted or replaced in a memory; it must not be found before that reaches the store. */
export function isGoneIn(projectDir: string, hit: ThoughtHit): boolean {
  const { id, createdBy = '', createdAt: capturedAt } = hit
  try {
    // A record that no file here has was captured elsewhere; there may be rulings on it here.
    holdRecords([recordLine({ ...hit, createdBy, capturedAt, confidence: 0, metadata: '{}' })], { projectDir })
    const { entry, state, revisions } = showMemory(id, { projectDir, includeProposed: true })
    // A superseded thought is reported as its revision.
    if (entry.id !== id) return revisions.some((revision) => revision.id === id)
    return ['forgotten', 'superseded', 'retired', 'proposed', 'rejected'].includes(state)
  } catch {
    // Its id is not one.
    return false
  } finally {
    holdRecords([], { projectDir })
  }
}

/** The decisions that wait to be delivered; a text may have no more than half a gibibyte. */
const QUEUE = join('.forge', 'openbrain-queue.jsonl')
const QUEUE_BYTES_MAX = 256 << 20

/**
 * Leaves out what other folders of this machine know to be gone. They are asked about thoughts of their own projects, and only while a decision about
 * one waits there: of what was delivered, the store knows more.
 */
export function heldHere(thoughts: ThoughtHit[], projectDir: string): ThoughtHit[] {
  const found = new Set<unknown>(thoughts.map(({ project }) => project))
  const folders = thoughts.length === 0 ? [] : foldersOf(found, memoryDir({ projectDir }))
  const waiting = folders.map(({ folder, names }) => ({ folder, names, queue: queueOf(folder) }))
  return thoughts.filter((hit) => {
    const asked = waiting.filter(({ names, queue }) => names.includes(hit.project) && queue.includes(`"${hit.id}"`))
    return !asked.some(({ folder }) => isGoneIn(folder, hit))
  })
}

const queueOf = (folder: string) => attempt(() => readConfinedText(folder, QUEUE, QUEUE_BYTES_MAX)) ?? ''

/** The other folders of this machine from which a store has records under one of these names. */
function foldersOf(projects: ReadonlySet<unknown>, own: string): { folder: string; names: unknown[] }[] {
  const notes = join(forgeHome(), 'projects')
  const files = attempt(() => readdirSync(notes)) ?? []
  return files.flatMap((file) => {
    const note = readPrivateMap<unknown>(join(notes, file))
    const [folder, name, delivered] = ['folder', 'name', 'delivered'].map((field) => note.get(field))
    const names = [name, ...(Array.isArray(delivered) ? delivered : [])]
    const isAsked = typeof folder === 'string' && folder !== own && names.some((one) => projects.has(one))
    return isAsked ? [{ folder, names }] : []
  })
}
