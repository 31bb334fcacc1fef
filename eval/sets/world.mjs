// Sets of other authors, read in the folder `world` of the shared data: conversations whose answers are sessions, and the notes of a developer.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const read = (folder, name) => {
  const path = join(folder, 'world', name)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}
const linesOf = (text) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Conversations of developers with an assistant, captured turn by turn; an answer is the session that a turn is of. */
export function readDialogues(folder) {
  const text = read(folder, 'dialogues.json')
  if (text === undefined) return undefined
  const { docs, queries } = JSON.parse(text)
  const sessionOf = (id) => id.split(':')[0]
  const documents = docs.map(([id, said]) => ({ id, text: said, session: sessionOf(id) }))
  const questions = queries.map(({ q, gold }, at) => ({
    id: `dialogues-${at + 1}`,
    text: q,
    answers: Object.fromEntries(gold.map((session) => [session, 1])),
  }))
  const title = `dialogues of others: ${questions.length} questions, ${documents.length} turns, by session`
  return { name: 'dialogues', title, documents, questions, unitOf: sessionOf }
}

/** Notes of a developer, with graded answers. */
export function readLessons(folder) {
  const [notes, asked] = ['lessons.jsonl', 'lessons-questions.jsonl'].map((name) => read(folder, name))
  if (notes === undefined || asked === undefined) return undefined
  const documents = linesOf(notes).map(({ id, content }) => ({ id, text: content }))
  const questions = linesOf(asked).map(({ id, query, category, relevant }) => ({
    id,
    text: query,
    kind: category,
    answers: Object.fromEntries(relevant.map(({ corpus_item_id: of, grade }) => [of, grade])),
  }))
  const title = `lessons of others: ${questions.length} questions, ${documents.length} notes`
  return { name: 'lessons', title, documents, questions }
}

/** Rules of teams with their later versions, oldest first; rules of different lists hold side by side. */
export function readRules(folder) {
  const text = read(folder, 'rules.json')
  return text === undefined ? undefined : JSON.parse(text).map(({ text: versions }) => versions)
}
