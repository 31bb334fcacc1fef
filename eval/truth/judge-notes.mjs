// What captures do to the notes of others: a memory of 1,601 notes, with entries of diaries and hand-overs, in which each of the texts of the
// pairs is captured and forgotten. The two were written without each other, so that hardly any retirement can be right.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Project } from './project.mjs'

const FILES = ['notes-1.jsonl', 'notes-2.jsonl', 'talks-1.jsonl']
const QUESTIONS = 'questions-1.jsonl'

const linesOf = (name) => {
  const text = readFileSync(fileURLToPath(new URL(`../data/${name}`, import.meta.url)), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** Captures the notes, then the texts, and returns what was retired and linked. */
export function judgeNotes(library, folder, texts) {
  const project = new Project(library, join(folder, 'notes'))
  const capture = (text) => project.capture({ tool: 'eval', source: 'eval/notes', type: 'lesson', body: text })
  const changed = new Set(
    linesOf(QUESTIONS)
      .filter(({ kind }) => kind === 'changed')
      .flatMap(({ answers }) => Object.keys(answers)),
  )
  const notes = FILES.flatMap(linesOf).filter(({ text }) => typeof text === 'string')
  const among = { captures: 0, retired: [], linked: 0 }
  const ids = new Set()
  for (const { id, text } of notes) {
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
