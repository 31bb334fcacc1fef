// Q1: are the duplicates that `captureMemory` reports those that exist, no more and no fewer?
import { readFileSync } from 'node:fs'
import { readLessons } from '../data/dataset.mjs'
import { contradicts } from '../data/opposition.mjs'
import { makeRow } from '../harness/row.mjs'

const SMALLEST = 1000
const LARGEST_USUAL = 100_000
const LARGEST = 1_000_000
/** Brute force compares every note with every other one. */
const NOTES = 10_000
/** The package may round the similarity that it reports. */
const SIMILARITY_TOLERANCE = 1e-3

/**
 * Compares verdict by verdict. A text is judged against what the package itself had stored before it, and what still held then: who
 * says again what a later record has retired says something new.
 */
function compare(lessons, { verdicts, retired }, near) {
  const count = { agreed: 0, invented: 0, missed: 0, contradictions: 0, wrongSimilarity: 0 }
  for (const [position, verdict] of verdicts.entries()) {
    const text = lessons[position].content
    const held = (earlier) => verdicts[earlier] === null && !(retired[earlier] < position)
    const candidates = (near.get(position) ?? []).filter(({ earlier }) => held(earlier))
    if (verdict === null) {
      if (candidates.length > 0) count.missed++
      continue
    }
    const [original, similarity] = verdict
    const match = candidates.find(({ earlier }) => earlier === original)
    count[match ? 'agreed' : 'invented']++
    if (match && Math.abs(match.cosine - similarity) > SIMILARITY_TOLERANCE) count.wrongSimilarity++
    if (match && contradicts(text, lessons[original].content)) count.contradictions++
  }
  return count
}

/**
 * What the generator says about its notes: a repetition says nothing new, unless what it repeats was retired since, and an update has
 * another number.
 */
function labelRows(lessons, { verdicts, retired }, row) {
  const isNew = ({ editOf }, position) => retired[editOf] < position
  const labelled = (edit) =>
    verdicts.filter((_, at) => lessons[at].edit === edit && !(edit === 'repeat' && isNew(lessons[at], at)))
  const [repeats, updates] = [labelled('repeat'), labelled('update')]
  const share = (list) => list.length / repeats.length
  return [
    row({
      what: 'notes said again, found',
      unit: 'share',
      ours: share(repeats.filter((verdict) => verdict !== null)),
      target: { exactly: 1 },
    }),
    row({
      what: 'notes with a changed number, taken for the old one',
      unit: 'count',
      ours: updates.filter((verdict) => verdict !== null).length,
      note: `of ${updates.length}`,
      target: { exactly: 0 },
    }),
  ]
}

function measureTexts(bench, size, texts) {
  const { corpus } = bench.dataset(size, texts)
  const captured = bench.captured(size, texts)
  const { near, method } = bench.nearPairs(size, texts)
  const answers = JSON.parse(readFileSync(captured.verdicts, 'utf8'))
  const lessons = readLessons(corpus)
  const count = compare(lessons, answers, near)
  const row = (fields) => makeRow({ measure: 'Q1', size, ...fields })
  const exactly = (what, ours, note) => row({ what, unit: 'count', ours, note, target: { exactly: 0 } })
  return [
    row({
      what: `duplicates among ${texts}, precision`,
      note: `${count.agreed} agreed, ${count.invented} invented, truth by ${method}`,
      unit: 'share',
      ours: count.agreed / (count.agreed + count.invented),
      target: { exactly: 1 },
    }),
    row({
      what: `duplicates among ${texts}, recall`,
      note: `${count.missed} missed`,
      unit: 'share',
      ours: count.agreed / (count.agreed + count.missed),
      target: { exactly: 1 },
    }),
    exactly('contradictions taken for duplicates', count.contradictions),
    exactly('similarities that are not the cosine', count.wrongSimilarity),
    ...(texts === 'notes' ? labelRows(lessons, answers, row) : []),
  ]
}

export function measure(bench) {
  const { sizes, deep } = bench.options
  const limit = deep ? LARGEST : LARGEST_USUAL
  const measured = [...new Set([SMALLEST, ...sizes])].filter((size) => size <= limit)
  return [...measured.flatMap((size) => measureTexts(bench, size, 'lessons')), ...measureTexts(bench, NOTES, 'notes')]
}
