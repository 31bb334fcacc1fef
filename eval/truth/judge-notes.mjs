// What captures do to the notes of others: a memory of 1,601 notes, with entries of diaries and hand-overs, in which each of the texts of the
// pairs is captured and forgotten. The two were written without each other, so that hardly any retirement can be right. Then the questions
// about the notes: an answer must not come after a note that was linked with it wrongly.

import { join } from 'node:path'
import { readNotes, readQuestions } from '../sets/own.mjs'
import { Project } from './project.mjs'

/** How many hits are looked at. */
const SHOWN = 10

/** Captures the notes, then the texts, and returns what was retired and linked, and the answers that come after what they are linked with. */
export function judgeNotes(library, folder, texts) {
  const project = new Project(library, join(folder, 'notes'))
  const capture = (text) => project.capture({ tool: 'eval', source: 'eval/notes', type: 'lesson', body: text })
  const questions = readQuestions('notes')
  const changed = new Set(
    questions.filter(({ kind }) => kind === 'changed').flatMap(({ answers }) => Object.keys(answers)),
  )
  const among = { captures: 0, retired: [], linked: 0 }
  const ids = new Map()
  for (const { id, text } of readNotes()) {
    const outcome = capture(text)
    ids.set(id, outcome.id)
    among.captures += 1
    among.linked += outcome.conflicts.length
    // A note that answers a question about a changed fact retires what held before.
    if (!changed.has(id)) among.retired.push(...outcome.retired.map((older) => ({ older: older.text, newer: text })))
  }
  const asked = questions.filter(({ kind, answers }) => kind !== 'changed' && Object.keys(answers).length > 0)
  const answered = {
    questions: asked.length,
    displaced: asked.filter(({ text, answers }) => isDisplaced(project.recall(text, SHOWN), answers, ids)).length,
  }
  const foreign = { captures: 0, retired: [], linked: 0 }
  const captured = new Set(ids.values())
  const isNote = ({ id }) => captured.has(id)
  for (const text of texts) {
    const outcome = capture(text)
    foreign.captures += 1
    foreign.linked += outcome.conflicts.filter(isNote).length
    foreign.retired.push(...outcome.retired.filter(isNote).map((older) => ({ older: older.text, newer: text })))
    if (!outcome.deduped) library.forget(outcome.id, { projectDir: project.folder })
  }
  return { among, foreign, answered }
}

/** Returns whether the first answer among the hits comes after a note that contradicts it. */
function isDisplaced(hits, answers, ids) {
  const right = new Set(Object.keys(answers).map((key) => ids.get(key)))
  const at = hits.findIndex(({ id }) => right.has(id))
  const before = hits.slice(0, Math.max(at, 0))
  return (hits[at]?.contradictedBy ?? []).some((newer) => before.some(({ id }) => id === newer.id))
}

/** Adds it up: shares of the captures, and of the questions. */
export function sumNotes({ among, foreign, answered }) {
  const share = (count, of) => ({ count, of, share: count / of })
  return {
    amongRetired: share(among.retired.length, among.captures),
    amongLinked: share(among.linked, among.captures),
    foreignRetired: share(foreign.retired.length, foreign.captures),
    foreignLinked: share(foreign.linked, foreign.captures),
    displaced: share(answered.displaced, answered.questions),
  }
}
