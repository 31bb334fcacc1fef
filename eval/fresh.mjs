#!/usr/bin/env node
// Records that are captured after the others had vectors: how well they are found by words, and by words and meaning, asked at once.
//   node eval/fresh.mjs [--data DIR] [--set lessons,notes]
// What a search embeds before it begins counts, and so does what the library embeds meanwhile: this is how users have it.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DATA, installedModel } from './command.mjs'
import { isUnanswerable } from './evaluate.mjs'
import { narrow } from './page.mjs'
import { DEPTH, judge, mean } from './quality.mjs'
import { readSet } from './sets/index.mjs'

const QUARTERS = [0, 1, 2, 3, 4]
const { values: options } = parseArgs({
  options: { data: { type: 'string', default: DATA }, set: { type: 'string', default: 'lessons,notes' } },
})
const folder = mkdtempSync(join(tmpdir(), 'forge-memory-fresh-'))
process.env.FORGE_HOME = join(folder, 'home')
const model = installedModel()
try {
  if (model === undefined) throw new Error('no model is installed: forge-memory model install')
  mkdirSync(process.env.FORGE_HOME)
  const ways = await import('./ways/library.mjs')
  ways.lendModel(model)
  for (const name of options.set.split(',')) await measure(ways, readSet(name, options.data))
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function measure(ways, set) {
  if (set === undefined) return
  const rows = []
  for (const quarter of QUARTERS) rows.push(await rowOf(ways, set, quarter))
  const head = ['vectors', 'questions about the others', 'words', 'words and meaning']
  process.stdout.write(`**${set.title}**\n\n${narrow(head, rows).join('\n')}\n\n`)
}

async function rowOf(ways, set, quarter) {
  const isCovered = (at) => (at * 7) % 4 < quarter
  const covered = set.documents.filter((_, at) => isCovered(at))
  const others = set.documents.filter((_, at) => !isCovered(at))
  const work = join(folder, `${set.name}-${quarter}`)
  const project = ways.captureProject({ ...set, documents: covered }, work)
  await ways.embedProject(project.projectDir, () => {})
  const documentOf = ways.captureMore(project, others)
  const answers = new Set((quarter === 4 ? covered : others).map(({ id }) => id))
  const isAsked = (question) =>
    !isUnanswerable(question) && Object.keys(question.answers).every((id) => answers.has(id))
  const questions = set.questions.filter(isAsked)
  const found = async (mode) => {
    const ask = ways.byRecall(project.projectDir, documentOf, mode)
    const judged = []
    for (const { text, answers: grades } of questions) judged.push(judge((await ask(text)).ids.slice(0, DEPTH), grades))
    return mean(judged.map(({ ndcg10 }) => ndcg10)).toFixed(3)
  }
  // Words last: what is embedded while they are asked must not help meaning.
  const auto = await found('auto')
  return [`${25 * quarter} %`, String(questions.length), await found('words'), auto]
}
