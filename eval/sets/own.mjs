// Our own set, `eval/data`: notes, and conversations that are searched by turn and by session.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { lengthen } from '../data/lengthen.mjs'

const FOLDER = fileURLToPath(new URL('../data/', import.meta.url))
/** Of three questions one is held back, by the first byte of the digest of its id. */
const HELD_OF = 3

export const isHeld = (id) => createHash('sha256').update(id).digest()[0] % HELD_OF === 0

/** Reads all files of a kind: `notes-1.jsonl`, `notes-2.jsonl` ... */
export function readLines(kind) {
  const files = readdirSync(FOLDER).filter((name) => name.startsWith(`${kind}-`) && name.endsWith('.jsonl'))
  return files.sort().flatMap((name) => {
    const lines = readFileSync(FOLDER + name, 'utf8')
      .trimEnd()
      .split('\n')
    return lines.map((line) => JSON.parse(line))
  })
}

/** Returns the notes as they are captured: a log or a trace that only adds length is made from its seed. */
export function readNotes() {
  return readLines('notes').map((note) => ({ ...note, text: lengthen(note) }))
}

/** Returns the questions of one file, `of` being `notes` or `talks`. */
export function readQuestions(of) {
  const questions = readLines('questions').filter((question) => question.of === of)
  return questions.map((question) => ({ ...question, held: isHeld(question.id) }))
}

export function readNotesSet() {
  const documents = readNotes()
  return {
    name: 'notes',
    title: titleOf('our own notes', documents, 'notes'),
    documents,
    questions: readQuestions('notes'),
  }
}

export function readTurnsSet() {
  const documents = readLines('talks').flatMap(turnsOf)
  return {
    name: 'turns',
    title: titleOf('our own talks by turn', documents, 'talks'),
    documents,
    questions: readQuestions('talks'),
  }
}

function turnsOf({ id, at, turns }) {
  return turns.map(([speaker, text], turn) => ({
    id: `${id}#${turn + 1}`,
    text: `${speaker}: ${text}`,
    session: id,
    turn,
    at,
  }))
}

export function readSessionsSet() {
  const documents = readLines('talks').map((talk) => ({ id: talk.id, text: textOf(talk), session: talk.id }))
  const questions = readQuestions('talks').map((question) => ({ ...question, answers: bySession(question.answers) }))
  return { name: 'sessions', title: titleOf('our own talks by session', documents, 'talks'), documents, questions }
}

function textOf({ at, turns }) {
  return [at, ...turns.map(([speaker, text]) => `${speaker}: ${text}`)].join('\n')
}

function bySession(answers) {
  const grades = {}
  for (const [id, grade] of Object.entries(answers)) {
    const session = id.split('#')[0]
    grades[session] = Math.max(grades[session] ?? 0, grade)
  }
  return grades
}

/** Notes of eight languages in one memory; the kind of a question is its language, `-across` when its answer is in another one. */
export function readLanguagesSet() {
  const documents = readLines('languages')
  const asked = readLines('across').map((question) => ({ ...question, held: isHeld(question.id) }))
  const title = `our own notes of eight languages: ${asked.length} questions, ${documents.length} texts`
  return { name: 'languages', title, documents, questions: asked }
}

function titleOf(what, documents, of) {
  const { length } = readQuestions(of)
  return `${what}: ${length.toLocaleString('en')} questions, ${documents.length.toLocaleString('en')} texts`
}
