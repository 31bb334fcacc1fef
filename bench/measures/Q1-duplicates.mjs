// Q1: are the duplicates that `captureMemory` reports those that exist, no more and no fewer?
import { readFileSync } from 'node:fs'
import { readLessons } from '../data/dataset.mjs'
import { contradicts, mayOppose } from '../data/opposition.mjs'
import { makeRow } from '../harness/row.mjs'

const SMALLEST = 1000
const LARGEST_USUAL = 100_000
const LARGEST = 1_000_000
/** The package may round the similarity that it reports. */
const SIMILARITY_TOLERANCE = 1e-3

/**
 * Compares verdict by verdict. A lesson is judged against what the package itself had stored before it: a refused reversal
 * is stored, and later lessons may rightly be duplicates of it.
 */
function compare(lessons, verdicts, near) {
  const count = { agreed: 0, invented: 0, missed: 0, reversals: 0, contradictions: 0, wrongSimilarity: 0 }
  for (const [position, verdict] of verdicts.entries()) {
    const text = lessons[position].content
    const candidates = (near.get(position) ?? []).filter(({ earlier }) => verdicts[earlier] === null)
    if (verdict === null) {
      const isRefused = (candidate) => mayOppose(text, lessons[candidate.earlier].content)
      if (candidates.length > 0) count[candidates.every(isRefused) ? 'reversals' : 'missed']++
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

function measureSize(bench, size) {
  const { corpus } = bench.dataset(size)
  const captured = bench.captured(size)
  const { near, onThreshold, method } = bench.nearPairs(size)
  const verdicts = JSON.parse(readFileSync(captured.verdicts, 'utf8'))
  const count = compare(readLessons(corpus), verdicts, near)
  const row = (fields) => makeRow({ measure: 'Q1', size, ...fields })
  const exactly = (what, ours, note) => row({ what, unit: 'count', ours, note, target: { exactly: 0 } })
  return [
    row({
      what: 'duplicates, precision',
      note: `${count.agreed} agreed, ${count.invented} invented, truth by ${method}`,
      unit: 'share',
      ours: count.agreed / (count.agreed + count.invented),
      target: { exactly: 1 },
    }),
    row({
      what: 'duplicates, recall',
      note: `${count.missed} missed, ${onThreshold} pairs of exactly 0.9 are below it in doubles`,
      unit: 'share',
      ours: count.agreed / (count.agreed + count.missed),
      target: { exactly: 1 },
    }),
    row({
      what: 'kept although near, every time with an opposing word or order',
      unit: 'count',
      ours: count.reversals,
    }),
    exactly('contradictions taken for duplicates', count.contradictions),
    exactly('similarities that are not the cosine', count.wrongSimilarity),
  ]
}

export function measure(bench) {
  const { sizes, deep } = bench.options
  const limit = deep ? LARGEST : LARGEST_USUAL
  return [...new Set([SMALLEST, ...sizes])].filter((size) => size <= limit).flatMap((size) => measureSize(bench, size))
}
