// What captures do to the notes of others: a memory of 1,601 notes, with entries of diaries and hand-overs, in which each of the texts of the
// pairs is captured and forgotten. The two were written without each other, so that hardly any retirement can be right.

import { join } from 'node:path'
import { readNotes, readQuestions } from '../sets/own.mjs'
import { Project } from './project.mjs'

/** Captures the notes, then the texts, and returns what was retired and linked. */
export function judgeNotes(library, folder, texts) {
  const project = new Project(library, join(folder, 'notes'))
  const capture = (text) => project.capture({ tool: 'eval', source: 'eval/notes', type: 'lesson', body: text })
  const changed = new Set(
    readQuestions('notes')
      .filter(({ kind }) => kind === 'changed')
      .flatMap(({ answers }) => Object.keys(answers)),
  )
  const among = { captures: 0, retired: [], linked: 0 }
  const ids = new Set()
  for (const { id, text } of readNotes()) {
    const outcome = capture(text)
    ids.add(outcome.id)
    among.captures += 1
    among.linked += outcome.conflicts.length
    // A note that answers a question about a changed fact retires what held before.
    if (!changed.has(id)) among.retired.push(...outcome.retired.map((older) => ({ older: older.text, newer: text })))
  }
  const foreign = { captures: 0, retired: [], linked: 0 }
  const isNote = ({ id }) => ids.has(id)
  for (const text of texts) {
    const outcome = capture(text)
    foreign.captures += 1
    foreign.linked += outcome.conflicts.filter(isNote).length
    foreign.retired.push(...outcome.retired.filter(isNote).map((older) => ({ older: older.text, newer: text })))
    if (!outcome.deduped) library.forget(outcome.id, { projectDir: project.folder })
  }
  return { among, foreign }
}

/** Adds it up: shares of the captures. */
export function sumNotes({ among, foreign }) {
  const share = (count, of) => ({ count, of, share: count / of })
  return {
    amongRetired: share(among.retired.length, among.captures),
    amongLinked: share(among.linked, among.captures),
    foreignRetired: share(foreign.retired.length, foreign.captures),
    foreignLinked: share(foreign.linked, foreign.captures),
  }
}
