#!/usr/bin/env node
// What is left out: which share of the answered questions of a set gets nothing, and which share of questions about something else does, as
// `recall` answers by words and meaning.
//   node eval/foreign.mjs [--data DIR] [--set lessons,dialogues] [--model FOLDER] [--work DIR]
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { DATA, installedModel } from './command.mjs'
import { isUnanswerable } from './evaluate.mjs'
import { narrow } from './page.mjs'
import { mean } from './quality.mjs'
import { readSet } from './sets/index.mjs'

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: DATA },
    set: { type: 'string', default: 'lessons,dialogues,sessions,turns' },
    model: { type: 'string', default: installedModel() },
    work: { type: 'string', default: join(tmpdir(), 'forge-memory-foreign') },
  },
})
if (options.model === undefined) throw new Error('no model is installed: forge-memory model install')
process.env.FORGE_HOME = join(options.work, 'home')
mkdirSync(process.env.FORGE_HOME, { recursive: true })
const ways = await import('./ways/library.mjs')
ways.lendModel(options.model)

const folder = fileURLToPath(new URL('data/', import.meta.url))
const linesOf = (name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n')
const questionFiles = readdirSync(folder).filter((name) => /^questions-\d+\.jsonl$/.test(name))
const ofOwnSet = questionFiles.flatMap(linesOf).map((line) => JSON.parse(line))
const foreign = [
  ...ofOwnSet.filter(({ kind }) => kind === 'none-foreign').map(({ text }) => text),
  ...linesOf('foreign.txt'),
]

const rows = []
for (const name of options.set.split(',')) {
  const set = readSet(name, options.data)
  if (set !== undefined) rows.push(await rowOf(set))
}
const head = ['set', 'texts', 'answered', 'silent', 'foreign', 'silent']
process.stdout.write(`${narrow(head, rows).join('\n')}\n`)

async function rowOf(set) {
  const projectDir = ways.writeProject(set, options.work)
  await ways.embedProject(projectDir, () => {})
  const ask = ways.byRecall(projectDir, (id) => id, 'auto')
  const silentOf = async (texts) => {
    const silent = []
    for (const text of texts) silent.push((await ask(text)).ids.length === 0 ? 1 : 0)
    return mean(silent).toFixed(3)
  }
  const answered = set.questions.filter((question) => !isUnanswerable(question)).map(({ text }) => text)
  const count = (list) => String(list.length)
  const shares = [count(answered), await silentOf(answered), count(foreign), await silentOf(foreign)]
  return [set.name, count(set.documents), ...shares]
}
