// Captures a whole corpus, one call a lesson, and keeps what each call answered.
import { writeFileSync } from 'node:fs'
import { readLessons } from '../data/dataset.mjs'
import { measureCall, summarize } from '../harness/statistics.mjs'
import { captureOf, input, loadAddon, report } from './process.mjs'

const { captureMemory, settleIndex } = loadAddon()
const lessons = readLessons(input.corpus)
const options = { projectDir: input.dir }
const positions = new Map()
const verdicts = []
/** Of each position that a later capture retired, the position of that one. */
const retired = {}
const times = []

const start = performance.now()
for (const [position, lesson] of lessons.entries()) {
  let outcome
  times.push(
    measureCall(() => {
      outcome = captureMemory(captureOf(lesson), options)
    }),
  )
  if (outcome.deduped) {
    verdicts.push([positions.get(outcome.duplicateOf), outcome.similarity])
  } else {
    if (!outcome.captured) throw new Error(`lesson ${position} was not captured`)
    positions.set(outcome.id, position)
    verdicts.push(null)
    for (const { id } of outcome.retired) retired[positions.get(id)] ??= position
  }
}
settleIndex(options)
const seconds = (performance.now() - start) / 1e3

writeFileSync(input.verdicts, JSON.stringify({ verdicts, retired }))
const tenth = Math.ceil(times.length / 10)
report({
  seconds,
  duplicates: verdicts.filter(Boolean).length,
  all: summarize(times),
  firstTenth: summarize(times.slice(0, tenth)),
  lastTenth: summarize(times.slice(-tenth)),
})
