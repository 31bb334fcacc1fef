// How well `recall` finds the answers of our own set, and whether the figures in the documentation are those of this code.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { evaluateSet } from '../eval/evaluate.mjs'
import { brokenGates, raisedGates, readGates, worseWays } from '../eval/gates.mjs'
import { figuresOn, readResults, withFigures } from '../eval/results.mjs'
import { OWN_SETS, readSet } from '../eval/sets/index.mjs'
import { freshFolder, root } from './support/project.mjs'

const MEASURED = ['bm25', 'captured-words', 'recall-words']
/** Figures are stored with four digits. */
const ROUNDING = 0.0001

const work = freshFolder({ after })
const results = []
before(async () => {
  const options = { wanted: MEASURED, work, progress() {} }
  for (const name of OWN_SETS) results.push(await evaluateSet(readSet(name), options))
})

test('recall finds no less than the gates ask for, on the questions for tuning and on those held back', () => {
  assert.deepEqual(brokenGates(results, readGates()), [])
})

test('what is captured is found as well as what is written, on every set', () => {
  assert.deepEqual(worseWays(results), [])
  const row = (way, ndcg10) => ({ way, ndcg10 })
  const made = (captured, written) => [
    { name: 'made', rows: [row('captured-words', captured), row('recall-words', written)] },
  ]
  assert.deepEqual(worseWays(made(0.6, 0.604)), [])
  assert.deepEqual(worseWays(made(0.6, 0.606)), ['made: captured-words has nDCG@10 0.6000, and recall-words 0.6060'])
})

test('by words, of what nothing answers most is marked as weak, and of what is answered little', () => {
  const { nothing } = results.find(({ name }) => name === 'notes').rows.find(({ way }) => way === 'recall-words')
  assert.ok(nothing.silentOrWeak >= 0.58, `${nothing.silentOrWeak} of ${nothing.questions}`)
  assert.ok(nothing.wronglyWeak <= 0.1, `${nothing.wronglyWeak} of the others`)
})

test('each part of our own set has gates, and a failed or unmeasured one is reported', () => {
  const gates = readGates()
  const parts = OWN_SETS.flatMap((set) => [`${set} tuning`, `${set} held`])
  assert.deepEqual([...new Set(gates.map(({ set, part }) => `${set} ${part}`))].sort(), parts.sort())
  const [broken] = brokenGates(results, [{ ...gates[0], aboveBm25: 1 }])
  assert.match(broken, /^notes \(tuning\), recall-words, ndcg10: -?0\.\d+ above BM25, and 1 is the least/)
  assert.match(brokenGates(results, [{ ...gates[0], way: 'unknown' }])[0], /not measured$/)
  const raised = raisedGates(results, gates)
  assert.deepEqual(brokenGates(results, raised), [])
  assert.ok(raised.every(({ aboveBm25 }, at) => aboveBm25 >= gates[at].aboveBm25))
})

test('the stored figures are those of this code; npm run eval -- --set notes,turns,sessions,languages --write-docs updates them', () => {
  const stored = readResults()
  for (const { name, rows } of results) {
    for (const row of rows) {
      const kept = stored.find((result) => result.name === name)?.rows.find(({ way }) => way === row.way)
      for (const measure of ['recall1', 'recall5', 'recall10', 'mrr', 'ndcg10']) {
        const what = `${name}, ${row.way}, ${measure}: ${kept?.[measure]} is stored, ${row[measure].toFixed(4)} was measured`
        assert.ok(Math.abs((kept?.[measure] ?? -1) - row[measure]) <= ROUNDING, what)
      }
    }
  }
})

test('docs/reference/retrieval.md shows the stored figures', () => {
  const page = readFileSync(join(root, 'docs', 'reference', 'retrieval.md'), 'utf8')
  assert.notEqual(figuresOn(page), '')
  assert.equal(page, withFigures(page, readResults()))
})
