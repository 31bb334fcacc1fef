// Our own set for measuring retrieval is as large and as varied as its page says.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { isHeld, readLanguagesSet, readLines, readNotes, readQuestions } from '../eval/sets/own.mjs'
import { stem, wordsOf } from '../eval/ways/tokens.mjs'
import { root } from './support/project.mjs'

const folder = join(root, 'eval', 'data')
const notes = readNotes()
const talks = readLines('talks')
const questions = [...readQuestions('notes'), ...readQuestions('talks')]
/** The hand-written part of each note, without the log around it. */
const written = new Map(readLines('notes').map(({ id, text }) => [id, text]))
const countBy = (list, of) =>
  list.reduce((counts, each) => counts.set(of(each), (counts.get(of(each)) ?? 0) + 1), new Map())
const kinds = countBy(questions, ({ kind }) => kind)

/** The minimum number of questions of each kind. */
const LEAST = {
  paraphrase: 60,
  reworded: 60,
  keyword: 30,
  identifier: 30,
  'identifier-part': 15,
  code: 30,
  message: 20,
  german: 30,
  french: 10,
  spanish: 10,
  russian: 10,
  chinese: 10,
  japanese: 10,
  emoji: 10,
  symbols: 15,
  typo: 30,
  prefix: 20,
  changed: 20,
  long: 15,
  multi: 10,
  turn: 100,
  session: 20,
  'none-near': 20,
  'none-foreign': 20,
}

test('it has 1,500 notes of 50 bytes to 20 KB and 40 conversations', () => {
  const sizes = notes.map(({ text }) => Buffer.byteLength(text)).sort((a, b) => a - b)
  assert.ok(notes.length >= 1500, `${notes.length} notes`)
  assert.ok(sizes[0] >= 50 && sizes.at(-1) <= 20 * 1024, `${sizes[0]} to ${sizes.at(-1)} bytes`)
  assert.ok(sizes.filter((size) => size > 5000).length >= 40, 'long notes are missing')
  const turns = talks.reduce((sum, talk) => sum + talk.turns.length, 0)
  assert.ok(talks.length >= 40 && turns >= 300, `${talks.length} talks, ${turns} turns`)
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  assert.ok(bytes < 4 * 2 ** 20, `${bytes} bytes`)
})

test('it has 300 questions, of every kind enough, and no kind is more than a fifth', () => {
  assert.ok(questions.length >= 300, `${questions.length} questions`)
  for (const [kind, least] of Object.entries(LEAST))
    assert.ok((kinds.get(kind) ?? 0) >= least, `${kind}: ${kinds.get(kind)}`)
  assert.deepEqual(
    [...kinds.keys()].filter((kind) => !(kind in LEAST)),
    [],
  )
  for (const [kind, count] of kinds) assert.ok(count <= questions.length / 5, `${kind}: ${count}`)
})

test('every id is unique, and every expected answer exists', () => {
  const ids = [...notes, ...talks, ...questions].map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
  const noteIds = new Set(notes.map(({ id }) => id))
  const turnIds = new Set(talks.flatMap(({ id, turns }) => turns.map((_, at) => `${id}#${at + 1}`)))
  for (const { id, of, kind, answers } of questions) {
    const known = of === 'notes' ? noteIds : turnIds
    for (const [answer, grade] of Object.entries(answers)) {
      assert.ok(known.has(answer), `${id}: ${answer} is not there`)
      assert.ok(grade === 1 || grade === 2, `${id}: the grade ${grade}`)
    }
    assert.equal(Object.keys(answers).length === 0, kind.startsWith('none-'), `${id} [${kind}]`)
  }
})

test('no two notes say nearly the same unless one replaces the other, and no question is there twice', () => {
  const runs = notes.map(({ id }) => runsOf(written.get(id)))
  const where = new Map()
  for (const [at, own] of runs.entries()) for (const run of own) where.set(run, [...(where.get(run) ?? []), at])
  const near = []
  for (const [at, own] of runs.entries()) {
    const shared = countBy(
      [...own].flatMap((run) => where.get(run).filter((other) => other > at)),
      (other) => other,
    )
    for (const [other, both] of shared) {
      const isChange = notes[other].replaces === notes[at].id
      if (!isChange && both / (own.size + runs[other].size - both) > 0.7)
        near.push([written.get(notes[at].id), written.get(notes[other].id)])
    }
  }
  assert.deepEqual(near, [])
  const asked = countBy(questions, ({ of, kind, text }) => `${of} ${kind} ${text.toLowerCase()}`)
  assert.deepEqual(
    [...asked].filter(([, count]) => count > 1),
    [],
  )
})

/** Runs of four words, without numbers: two logs of one program differ in nothing else. */
function runsOf(text) {
  const words =
    text
      .slice(0, 2000)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  return new Set(words.map((_, at) => words.slice(at, at + 4).join(' ')))
}

test('a paraphrase shares no word with its answer, and a changed fact is there in both versions', () => {
  for (const { kind, of, text, answers } of questions) {
    if (kind !== 'paraphrase' || of !== 'notes') continue
    const asked = new Set(wordsOf(text).map(stem))
    for (const answer of Object.keys(answers)) {
      const shared = wordsOf(written.get(answer))
        .map(stem)
        .filter((word) => asked.has(word))
      assert.deepEqual(shared, [], text)
    }
  }
  const order = new Map(notes.map(({ id }, at) => [id, at]))
  const replaced = notes.filter((note) => note.replaces !== undefined)
  assert.ok(replaced.length >= 20, `${replaced.length} changed facts`)
  for (const { id, replaces } of replaced)
    assert.ok(order.get(replaces) < order.get(id), `${replaces} comes after ${id}`)
})

test('the set of languages has 30 notes and 40 questions of each of eight, a third of which are answered in another language', () => {
  const { documents, questions: asked } = readLanguagesSet()
  const languages = countBy(documents, ({ language }) => language)
  assert.deepEqual([...languages.values()], Array(8).fill(30))
  const languageOf = new Map(documents.map(({ id, language }) => [id, language]))
  const own = countBy(asked, ({ kind }) => kind)
  for (const language of languages.keys()) {
    assert.deepEqual([own.get(language), own.get(`${language}-across`)], [27, 13], language)
  }
  for (const { id, kind, answers } of asked) {
    const [language, across] = kind.split('-')
    const found = Object.keys(answers).map((answer) => languageOf.get(answer))
    assert.equal(found.length, 1, id)
    assert.ok(languages.has(found[0]), id)
    assert.equal(found[0] !== language, across === 'across', id)
  }
  assert.equal(new Set([...documents, ...asked].map(({ id }) => id)).size, documents.length + asked.length)
  const held = asked.filter((question) => question.held).length / asked.length
  assert.ok(held > 0.27 && held < 0.4, String(held))
})

test('about a third of the questions is held back, of every large kind some', () => {
  const held = questions.filter(({ id }) => isHeld(id))
  const share = held.length / questions.length
  assert.ok(share > 0.27 && share < 0.4, String(share))
  const heldKinds = countBy(held, ({ kind }) => kind)
  for (const [kind, count] of kinds) if (count >= 20) assert.ok((heldKinds.get(kind) ?? 0) >= 3, kind)
})

test('the page of the set has the counts of its kinds', () => {
  const page = readFileSync(join(folder, 'README.md'), 'utf8')
  const shown = [...page.matchAll(/^\| `([a-z-]+)` \| (\d+) \|/gm)].map(([, kind, count]) => [kind, Number(count)])
  assert.deepEqual(Object.fromEntries(shown), Object.fromEntries(kinds))
})
