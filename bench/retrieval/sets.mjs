// The sets: documents, and queries that have one right answer each. They are read where they lie; nothing is copied.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const COMMIT_QUERIES = 1000

/** Reads the sets of a folder that it has. */
export function readSets(folder) {
  const readers = { cosqa: readCosqa, commits: readCommits }
  return Object.entries(readers)
    .filter(([name]) => existsSync(join(folder, name)))
    .map(([name, read]) => ({ name, ...read(join(folder, name)) }))
}

/** Questions of developers to a search engine, each with one function of 6,267. */
function readCosqa(folder) {
  const functions = JSON.parse(readFileSync(join(folder, 'code_idx_map.txt'), 'utf8'))
  const documents = Object.entries(functions).map(([text, number]) => ({ id: String(number), text }))
  const questions = JSON.parse(readFileSync(join(folder, 'cosqa-retrieval-dev-500.json'), 'utf8'))
  const queries = questions.map(({ doc, retrieval_idx }) => ({ text: doc, answer: String(retrieval_idx) }))
  return { title: 'CoSQA, 500 questions, 6,267 functions', documents, queries }
}

/** Subjects of commits, each with the body that stood below it. */
function readCommits(folder) {
  const lines = readFileSync(join(folder, 'commits.jsonl'), 'utf8').trimEnd().split('\n')
  const pairs = lines.map((line) => JSON.parse(line))
  const documents = pairs.map(({ doc }, at) => ({ id: String(at), text: doc }))
  // Evenly over all repositories, the same ones in every run.
  const step = pairs.length / COMMIT_QUERIES
  const queries = Array.from({ length: COMMIT_QUERIES }, (_, at) => {
    const answer = Math.floor(at * step)
    return { text: pairs[answer].query, answer: String(answer) }
  })
  const count = documents.length.toLocaleString('en')
  return { title: `commits, ${COMMIT_QUERIES.toLocaleString('en')} subjects, ${count} bodies`, documents, queries }
}
