// Sets outside of this repository, read in place: documents, and questions with one right answer each.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const COMMIT_QUESTIONS = 1000
/** Making the vectors of all commits takes the better part of an hour; every tenth is enough to compare ways. */
const COMMITS_WITH_VECTORS = 2000

/** A longer text is not captured as one. */
const MESSAGE_MAX = 4000

const isThere = (folder, name) => existsSync(join(folder, name))

/** Questions of developers to a search engine, each with one function of 6,267. */
export function readCosqa(folder) {
  if (!isThere(folder, 'cosqa')) return undefined
  const functions = JSON.parse(readFileSync(join(folder, 'cosqa', 'code_idx_map.txt'), 'utf8'))
  const documents = Object.entries(functions).map(([text, number]) => ({ id: String(number), text }))
  const asked = JSON.parse(readFileSync(join(folder, 'cosqa', 'cosqa-retrieval-dev-500.json'), 'utf8'))
  const questions = asked.map(({ idx, doc, retrieval_idx }) => ({
    id: idx,
    text: doc,
    answers: { [retrieval_idx]: 1 },
  }))
  return { name: 'cosqa', title: `CoSQA: 500 questions, 6,267 functions`, documents, questions }
}

/**
 * Subjects of commits, each with the body that stood below it. A body below two subjects is one document, because a memory keeps a text
 * once. Without meaning: see `readFewCommits`.
 */
export function readCommits(folder) {
  const pairs = pairsIn(folder)
  if (pairs === undefined) return undefined
  return { ...commitsSet('commits', pairs, pairs, COMMIT_QUESTIONS), wordsOnly: true }
}

/** Samples at a regular interval, few enough for vectors. */
export function readFewCommits(folder) {
  const pairs = pairsIn(folder)
  if (pairs === undefined) return undefined
  return commitsSet('commits-few', evenly(pairs, COMMITS_WITH_VECTORS), pairs, COMMIT_QUESTIONS / 2)
}

/** Returns whole messages of commits, subject and body, as one captures them. */
export function readCommitTexts(folder, count) {
  const pairs = pairsIn(folder)
  return pairs?.slice(0, count).map(({ query, doc }) => `${query}\n\n${doc}`.trim().slice(0, MESSAGE_MAX))
}

/** Returns the pairs with the number of each body: that of the first pair that has it. */
function pairsIn(folder) {
  if (!isThere(folder, 'commits')) return undefined
  const lines = readFileSync(join(folder, 'commits', 'commits.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
  const firsts = new Map()
  return lines.map((line, number) => {
    const { query, doc } = JSON.parse(line)
    if (!firsts.has(doc)) firsts.set(doc, number)
    return { query, doc, number, at: firsts.get(doc) }
  })
}

/** Takes a sample evenly over all repositories, the same in every run. */
function evenly(list, count) {
  if (count >= list.length) return list
  return Array.from({ length: count }, (_, at) => list[Math.floor((at * list.length) / count)])
}

function commitsSet(name, pairs, all, count) {
  const bodies = new Map(pairs.map(({ doc, at }) => [at, doc]))
  const documents = [...bodies].map(([at, text]) => ({ id: String(at), text }))
  const questions = evenly(pairs, count).map(({ query, number, at }) => ({
    id: `commit-${number}`,
    text: query,
    answers: { [at]: 1 },
  }))
  const amount = (list) => list.length.toLocaleString('en')
  const title = `${all === pairs ? 'commits' : 'commits, few'}: ${amount(questions)} subjects, ${amount(documents)} bodies`
  return { name, title, documents, questions }
}
