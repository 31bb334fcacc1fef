// What `npm run eval` computes and what it shows.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { compareOn, intervalsOf } from '../eval/chance.mjs'
import { evaluateSet } from '../eval/evaluate.mjs'
import { judge } from '../eval/quality.mjs'
import { readSet } from '../eval/sets/index.mjs'
import { isHeld, readQuestions, readTurnsSet } from '../eval/sets/own.mjs'
import { readRules } from '../eval/sets/world.mjs'
import { BASELINES } from '../eval/ways/index.mjs'
import { freshFolder, root } from './support/project.mjs'

const rounded = (judged) =>
  Object.fromEntries(Object.entries(judged).map(([name, value]) => [name, Number(value.toFixed(3))]))

function runEval(args, home) {
  return spawnSync(process.execPath, [join(root, 'eval', 'run.mjs'), ...args], {
    encoding: 'utf8',
    env: { ...process.env, FORGE_HOME: home },
    maxBuffer: 1 << 28,
  })
}

test('a list is scored by the ranks of the relevant records', () => {
  const judged = (ids, grades) => rounded(judge(ids, grades))
  assert.deepEqual(judged(['a', 'b'], { a: 1 }), { recall1: 1, recall5: 1, recall10: 1, mrr: 1, ndcg10: 1 })
  assert.deepEqual(judged(['b', 'c', 'a'], { a: 1 }), { recall1: 0, recall5: 1, recall10: 1, mrr: 0.333, ndcg10: 0.5 })
  assert.deepEqual(judged([], { a: 1 }), { recall1: 0, recall5: 0, recall10: 0, mrr: 0, ndcg10: 0 })
  // 1 / log2(3) of 1 + 1 / log2(3): one of two answers, in the second place.
  assert.deepEqual(judged(['c', 'a'], { a: 1, b: 1 }), {
    recall1: 0,
    recall5: 0.5,
    recall10: 0.5,
    mrr: 0.5,
    ndcg10: 0.387,
  })
  assert.deepEqual(judged(['b', 'a'], { a: 2, b: 1 }), { recall1: 1, recall5: 1, recall10: 1, mrr: 1, ndcg10: 0.86 })
})

test('intervals and comparisons are the same in every run, and chance is told from a difference', () => {
  const judged = Array.from({ length: 200 }, (_, at) => judge(at % 2 === 0 ? ['a'] : [], { a: 1 }))
  const [low, high] = intervalsOf(judged).ndcg10
  assert.ok(low > 0.4 && low < 0.5 && high > 0.5 && high < 0.6, `${low} to ${high}`)
  assert.deepEqual(intervalsOf(judged), intervalsOf(judged))
  const before = Array.from({ length: 100 }, (_, at) => (at % 3) / 3)
  const better = before.map((value) => value + 0.1)
  const other = before.map((value, at) => value + (at % 2 === 0 ? 0.1 : -0.1))
  assert.ok(compareOn(before, better).p < 0.01)
  assert.ok(compareOn(before, other).p > 0.9)
  assert.deepEqual(compareOn(before, other), compareOn(before, other))
})

test('each baseline finds a text by its word, and those with stems by another form of it', () => {
  const documents = [
    { id: 'one', text: 'the worker drops connections while it is being restarted' },
    { id: 'two', text: 'a certificate has to be renewed every ninety days' },
    { id: 'three', text: 'parseHttpHeaders reads one line too many' },
  ]
  for (const [name, prepare] of Object.entries(BASELINES)) {
    const search = prepare({ documents })
    assert.equal(search('certificate')[0], 'two', name)
    assert.deepEqual(search(''), [], name)
  }
  for (const name of ['bm25', 'fts5'])
    assert.equal(BASELINES[name]({ documents })('dropping connection')[0], 'one', name)
  assert.equal(BASELINES.bm25({ documents })('http headers')[0], 'three')
})

test('a question without an answer counts as silence, never as recall', async () => {
  const documents = readTurnsSet().documents
  const ask = (id, text, answers) => ({ id, kind: 'made', text, answers, held: false })
  const questions = [
    ask('q1', 'qqqqzzzz', {}),
    ask('q2', 'Gerhard cactus', { 't02#3': 1 }),
    ask('q3', 'xxyyzz', { 't02#3': 1 }),
  ]
  const set = { name: 'made', title: 'made', documents, questions }
  const { rows } = await evaluateSet(set, { wanted: ['bm25'], progress() {} })
  assert.deepEqual([rows[0].questions, rows[0].recall1], [2, 0.5])
  const { questions: none, silent, wronglySilent } = rows[0].nothing
  assert.deepEqual([none, silent, wronglySilent], [1, 1, 0.5])
})

test('sets of others are read from the data folder, and answers can be what a text is a part of', async (t) => {
  const data = freshFolder(t)
  const world = join(data, 'world')
  assert.equal(readSet('dialogues', data), undefined)
  assert.equal(readRules(data), undefined)
  mkdirSync(world)
  const docs = [
    ['S1:0', 'user: the gate opens at noon'],
    ['S1:1', 'assistant: the gate is made of oak'],
    ['S2:0', 'user: the kraken sleeps'],
  ]
  const queries = [
    { q: 'kraken gate', gold: ['S1', 'S2'] },
    { q: 'who painted it', gold: [] },
  ]
  writeFileSync(join(world, 'dialogues.json'), JSON.stringify({ docs, queries }))
  writeFileSync(join(world, 'rules.json'), JSON.stringify([{ text: ['indent by two', 'indent by four'] }]))
  writeFileSync(join(world, 'lessons.jsonl'), '{"id":"a","content":"prune snapshots"}\n')
  const question = { id: 'q', query: 'snapshots', category: 'lesson', relevant: [{ corpus_item_id: 'a', grade: 3 }] }
  writeFileSync(join(world, 'lessons-questions.jsonl'), `${JSON.stringify(question)}\n`)
  const set = readSet('dialogues', data)
  assert.deepEqual(
    set.documents.map(({ session }) => session),
    ['S1', 'S1', 'S2'],
  )
  const { rows } = await evaluateSet(set, { wanted: ['bm25'], progress() {} })
  // Two turns of one session count once, so both answers are among the first two.
  assert.deepEqual([rows[0].questions, rows[0].ndcg10], [1, 1])
  assert.deepEqual(readRules(data), [['indent by two', 'indent by four']])
  assert.deepEqual(readSet('lessons', data).questions[0].answers, { a: 3 })
})

test('held-out questions are not shown individually, in figures or failures, unless requested', (t) => {
  const work = freshFolder(t)
  const args = ['--set', 'turns', '--ways', 'bm25', '--model', 'none', '--work', work]
  const held = readQuestions('talks').filter(({ id }) => isHeld(id))
  const shown = ({ stdout }) =>
    held.filter(({ id, text }) => stdout.includes(id) || stdout.includes(JSON.stringify(text)))
  const document = runEval([...args, '--json'], work)
  assert.equal(document.status, 0, document.stderr)
  const [row] = JSON.parse(document.stdout).results[0].rows
  assert.equal(row.parts.held.questions + row.parts.tuning.questions, row.questions)
  assert.deepEqual(shown(document), [])
  const failures = runEval([...args, '--failures'], work)
  assert.match(failures.stdout, /^ {2}q[0-9a-f]{8} \[turn\] /m)
  assert.deepEqual(shown(failures), [])
  assert.equal(shown(runEval([...args, '--json', '--held-details'], work)).length, held.length)

  writeFileSync(join(work, 'before.json'), document.stdout)
  const compared = runEval(['--compare', join(work, 'before.json'), join(work, 'before.json')], work)
  assert.match(compared.stdout, /^turns, bm25, ndcg10, \d+ questions: .* \+0\.000 .* may be chance$/m)
})

test('an unknown argument is reported with the known ones', (t) => {
  const home = freshFolder(t)
  for (const [args, expected] of [
    [['--set', 'nothing'], /no such set: nothing; known are notes, turns/],
    [['--ways', 'guess'], /no such way: guess/],
    [['--model', join(home, 'gone')], /there is no model .*gone/],
    [['--compare', 'one.json'], /--compare takes two files/],
  ]) {
    const { status, stderr } = runEval(args, home)
    assert.equal(status, 2)
    assert.match(stderr, expected)
  }
})

test('a set that cannot be measured is reported, and the others keep their figures', (t) => {
  const work = freshFolder(t)
  const data = join(work, 'data')
  mkdirSync(join(data, 'cosqa'), { recursive: true })
  writeFileSync(join(data, 'cosqa', 'code_idx_map.txt'), 'damaged')
  const args = [
    '--set',
    'turns,cosqa,commits',
    '--ways',
    'bm25',
    '--model',
    'none',
    '--work',
    work,
    '--data',
    data,
    '--json',
  ]
  const { status, stdout, stderr } = runEval(args, work)
  assert.equal(status, 1)
  assert.match(stderr, /^error: the set cosqa could not be measured: exit status 1$/m)
  assert.match(stderr, /^commits: not in the folder of sets, left out$/m)
  assert.deepEqual(
    JSON.parse(stdout).results.map(({ name }) => name),
    ['turns'],
  )
})

test('whoever interrupts an evaluation ends all of it', async (t) => {
  const home = freshFolder(t)
  const args = [
    join(root, 'eval', 'run.mjs'),
    '--work',
    join(home, 'work'),
    '--set',
    'turns',
    '--ways',
    'recall-words,search-words',
  ]
  const child = spawn(process.execPath, args, {
    env: { ...process.env, FORGE_HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let told = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    told += text
    if (told.includes('turns')) child.kill('SIGKILL')
  })
  // The other process has the pipe open as long as it lives.
  await new Promise((resolve) => child.once('close', resolve))
  assert.match(told, /turns/)
  assert.doesNotMatch(told, /search-words: 206 of 206/)
})
