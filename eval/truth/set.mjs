// The labelled set: pairs of texts, and timelines of a project's memory. A third of either is held back: rules are not made by it.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** What the newer text of a pair does to the older one. */
export const LABELS = ['retires', 'conflict', 'unrelated', 'duplicate']

/** What became of a capture at the end of its timeline. */
export const FATES = ['holds', 'retired', 'contested', 'restated']

/**
 * The parts of the set: rules were made by the first, and judged by the second. The others were written later, each before a
 * change of the rules and without a look at what they find.
 */
export const PARTS = ['tuning', 'held', 'later', 'third', 'fourth']

/** The part that each of the later files is. */
const LATER = { held: 'later', third: 'third', fourth: 'fourth' }

export const pairs = () => allOf('pairs')
export const timelines = () => allOf('timelines')

function allOf(what) {
  return [
    ...readSet(`${what}.jsonl`, partOf),
    ...Object.entries(LATER).flatMap(([name, part]) => readSet(`${name}-${what}.jsonl`, () => part)),
  ]
}

/** Tells the part of a pair or timeline by a hash of its id, so that it never changes when the set grows. */
export function partOf(id) {
  return createHash('sha256').update(id).digest().readUInt32BE(0) % 3 === 0 ? 'held' : 'tuning'
}

function readSet(name, partOfId) {
  const text = readFileSync(fileURLToPath(new URL(name, import.meta.url)), 'utf8')
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line)).map((item) => ({ ...item, part: partOfId(item.id) }))
}
